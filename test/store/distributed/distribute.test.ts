import { describe, expect, test } from 'bun:test'
import { distribute } from '~/store/distributed/distribute.ts'
import { freshDatabase } from '../../support/postgres.ts'

describe('distribute', () => {
  test('gives up if another session uses a table, and says how to find it', async () => {
    const database = await freshDatabase()
    const other = await database.sql.reserve()
    await other`begin`
    await other`select count(*) from rollups`
    const steps: string[] = []
    const tried = distribute(database.sql, 4, (what) => steps.push(what))
    await expect(tried).rejects.toThrow(
      /^nothing was changed: another session, such as psql or pg_dump, is using .*pg_stat_activity/,
    )
    expect(steps).toEqual([])
    await other`rollback`
    other.release()
    await database.close()
  })
})
