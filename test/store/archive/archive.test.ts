import { beforeAll, describe, expect, test } from 'bun:test'
import { drizzle } from 'drizzle-orm/postgres-js'
import { createArchiveStore } from '~/store/archive/archive-store.ts'
import { connect } from '~/store/database.ts'
import { filePast } from '~/store/file/file-past.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, stockedDatabase } from '../samples.ts'
import { randomAsk, WHOLE_SERIES } from './questions.ts'
import { archive, CLOSED_MS, dice, digestOf, END_MS, fill, rowsIn, START_MS } from './world.ts'

const newDatabase = databasesOfFile(stockedDatabase)
const ROWS = 3000
const QUESTIONS = Number(process.env.TEST_ARCHIVE_QUESTIONS ?? 150)

/** Another handle on the database, and the statements that it sends. */
function watched({ url }: FreshDatabase) {
  const sent: string[] = []
  const sql = connect(url, { connectionsMax: 1, onQuery: (query) => sent.push(query) })
  const handle = { sql, db: drizzle(sql), kind: 'external', where: 'test' } as const
  return { sent, handle: { ...handle, close: () => sql.end({ timeout: 1 }) } }
}

describe('a database without an archive', () => {
  test('receives the same statements as without this feature', async () => {
    const database = await newDatabase()
    await fill(database, { rows: 400, seed: 9 })
    const { sent, handle } = watched(database)
    const roll = dice(4)
    for (let asked = 0; asked < 60; asked++) await randomAsk(roll)(handle)
    await handle.close()
    const lookups = sent.filter((query) => query.includes('archived_months'))
    expect(sent.length).toBeGreaterThan(60)
    expect(lookups.length).toBeLessThan(30)
    expect(sent.filter((query) => /observation_blocks|block_first/.test(query))).toEqual([])
  })
})

describe('an archive of months', () => {
  let database: FreshDatabase
  let digest = ''

  beforeAll(async () => {
    database = await newDatabase()
    await fill(database, { rows: ROWS, seed: 7 })
    digest = await digestOf(database)
  })

  test('serves every request as the rows do, and gives the rows back', async () => {
    const roll = dice(Number(process.env.TEST_SEED ?? 11))
    const asks = [...WHOLE_SERIES, ...Array.from({ length: QUESTIONS }, () => randomAsk(roll))]
    const before: unknown[] = []
    for (const ask of asks) before.push(await ask(database))
    const { rows } = await rowsIn(database)
    const done = await archive(database)
    expect(done).toEqual({ months: 3, unsealed: 0, observations: expect.any(Number) })
    const now = await rowsIn(database)
    expect(now).toEqual({ rows: rows - done!.observations, archived: done!.observations })
    expect(now.archived).toBeGreaterThan(rows / 2)
    for (const [nth, ask] of asks.entries()) {
      const after = await ask(database)
      expect({ nth, said: after }).toEqual({ nth, said: before[nth] })
    }
    expect(await createArchiveStore(database).unarchive(CLOSED_MS)).toBe(done!.observations)
    expect(await rowsIn(database)).toEqual({ rows, archived: 0 })
    expect(await digestOf(database)).toBe(digest)
  })

  test('leaves whole the file that was begun before it', async () => {
    const window = { fromMs: START_MS, beforeMs: END_MS }
    const store = createArchiveStore(database)
    const begun = async (interrupt: () => Promise<void>) => {
      const ids: number[] = []
      for await (const rows of filePast(database, null).rows(window)) {
        if (ids.length === 0) await interrupt()
        for (const { id } of rows) ids.push(id)
      }
      return ids
    }
    const before = await begun(async () => {})
    const now = await begun(async () => {
      const months = await store.months(CLOSED_MS)
      await store.announce(months)
      for (const id of await store.corridors())
        for (const month of months) expect(await store.archive(id, month)).toBeGreaterThan(0)
    })
    expect(now).toEqual(before)
    await store.unarchive(CLOSED_MS)
  })

  test('keeps the values of a column that a later migration adds', async () => {
    const { sql } = database
    await sql`alter table observations add column said text default md5(random()::text)`
    await sql`alter table observation_blocks add column said text[]`
    const before = await digestOf(database)
    const done = await archive(database)
    const [block] = await sql<{ said: number }[]>`
      select sum(cardinality(said))::int as said from observation_blocks`
    expect(block!.said).toBe(done!.observations)
    await createArchiveStore(database).unarchive(CLOSED_MS)
    expect(await digestOf(database)).toBe(before)
  })
})
