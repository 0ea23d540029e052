import { describe, expect, test } from 'bun:test'
import { corridor, corridorWith } from '../support/command.ts'
import { emptyDatabase, freshDatabase } from '../support/postgres.ts'
import { scratchFolder } from '../support/scratch.ts'

describe('corridor distribute', () => {
  test('says how to get the extension if a database has none, and changes nothing', async () => {
    const database = await freshDatabase()
    const tried = await corridor(['distribute'], database.url)
    expect(tried).toMatchObject({ status: 1, stdout: '' })
    expect(tried.said.join()).toContain('nothing was changed: the database has no extension citus')
    const [row] = await database.sql`
      select count(*)::int as keys from pg_constraint where conname = 'alerts_source_currencies_code_fk'`
    expect(row).toEqual({ keys: 1 })
    await database.close()
  })

  test('requires the schema of this version first', async () => {
    const database = await emptyDatabase()
    const { status, said } = await corridor(['distribute', '--dry-run'], database.url)
    expect([status, said.join()]).toEqual([
      1,
      expect.stringContaining('run corridor migrate first'),
    ])
    await database.close()
  })

  test('refers from an embedded database to a cluster, and creates none', async () => {
    const { status, said } = await corridorWith({ DATA_DIR: await scratchFolder() }, ['distribute'])
    expect([status, said.join()]).toEqual([1, expect.stringContaining('set DATABASE_URL')])
  })

  test('accepts 1 to 1024 shards', async () => {
    const database = await freshDatabase()
    for (const shards of ['0', '1025', '-1', 'all', '1e2'])
      expect((await corridor(['distribute', '--shards', shards], database.url)).status).toBe(2)
    expect((await corridor(['distribute', '--shards', '1024'], database.url)).status).toBe(1)
    await database.close()
  })
})
