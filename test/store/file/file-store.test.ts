import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createFileStore } from '~/store/file/file-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { stockedDatabase } from '../samples.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

type Making = Parameters<ReturnType<typeof createFileStore>['keep']>[0]

const made =
  (text: string): Making['make'] =>
  async (_past, put) => {
    await put(new TextEncoder().encode(text))
    return 1
  }
/** Arguments for the first edition of a file, as of now. */
const first = (period: string, make: Making['make']): Making => ({
  ...{ period, edition: 1, make, knownMs: Date.parse('2026-01-01T00:00:00Z') },
})
/** The contents of a stored file. */
async function textOf(period: string, edition = 1): Promise<string | null> {
  const store = createFileStore(database)
  const file = await store.find(period, edition)
  if (!file) return null
  const parts: Uint8Array[] = []
  for (let bytes = await store.part(file, 0); bytes; bytes = await store.part(file, parts.length))
    parts.push(bytes)
  return Buffer.concat(parts).toString()
}
/** The number of processes that wait for another to create a file of this database. */
async function waiting(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
  return row!.count
}

const periods = async () =>
  (
    await database.sql<{ period: string }[]>`
    select period from files union select day::text from day_files order by period`
  ).map(({ period }) => period)

describe('the files of days and months', () => {
  test('do not exist in a database without observations', async () => {
    const store = createFileStore(database)
    expect(await store.find('2026-03-04', 1)).toBeNull()
    expect(await store.list()).toHaveLength(0)
    const seen = Promise.withResolvers<unknown>()
    const make: Making['make'] = async ({ firstMs, corridorsBefore, rows, lostMs }) => {
      const window = { fromMs: 0, beforeMs: Date.now() }
      const batches = await Array.fromAsync(rows(window))
      seen.resolve([await firstMs(), await corridorsBefore(Date.now()), batches, await lostMs()])
      throw new Error('nothing to write')
    }
    await expect(store.keep(first('2026-03-04', make))).rejects.toThrow('nothing to write')
    expect(await seen.promise).toEqual([null, [], [], Number.NEGATIVE_INFINITY])
  })

  test.each(['2026-03-04', '2026-02'])(
    '%s is created by one process, while the others wait for it and get its file',
    async (period) => {
      const stores = Array.from({ length: 4 }, () => createFileStore(database))
      const begun = Promise.withResolvers<void>()
      const go = Promise.withResolvers<void>()
      let count = 0
      const make: Making['make'] = async (past, put) => {
        const own = made(`file ${++count}`)
        begun.resolve()
        await go.promise
        return own(past, put)
      }
      const kept = stores.map((store) => store.keep(first(period, make)))
      await begun.promise
      await until('all others wait', async () => (await waiting()) === stores.length - 1)
      go.resolve()
      const files = await Promise.all(kept)
      expect(new Set(files.map(({ digest }) => digest)).size).toBe(1)
      expect(files[3]).toMatchObject({ period, edition: 1, editions: 1, rows: 1, bytes: 6 })
      expect(await textOf(period)).toBe('file 1')
      expect(count).toBe(1)
    },
  )

  test('are created again after a failure, of which nothing is stored', async () => {
    const store = createFileStore(database)
    const fail: Making['make'] = async (_past, put) => {
      await put(new Uint8Array(3 << 20))
      throw new Error('away')
    }
    await expect(store.keep(first('2026-03-03', fail))).rejects.toThrow('away')
    expect(await textOf('2026-03-03')).toBeNull()
    expect(await database.sql`select from file_parts where period = '2026-03-03'`).toHaveLength(0)
    await store.keep(first('2026-03-03', made('whole')))
    expect(await textOf('2026-03-03')).toBe('whole')
  })

  test('are written in parts of a megabyte, and not created again as long as they are whole', async () => {
    const store = createFileStore(database)
    const make: Making['make'] = async (_past, put) => {
      for (const n of [1, 2, 3, 4, 5]) await put(new Uint8Array(700_000).fill(n))
      return 5
    }
    const file = await store.keep(first('2026-01', make))
    expect(file).toMatchObject({ rows: 5, bytes: 3_500_000 })
    const lengths = [0, 1, 2, 3].map(async (n) => (await store.part(file, n))?.length)
    expect(await Promise.all(lengths)).toEqual([1_400_000, 1_400_000, 700_000, undefined])
    expect(await store.isWhole(file)).toBe(true)
    const other = await store.keep(first('2026-01', made('other')))
    expect(other.digest).toBe(file.digest)
    await database.sql`
      update file_parts set content = set_byte(content, 9, 9) where period = '2026-01' and part = 1`
    expect(await store.isWhole(file)).toBe(false)
    const again = await store.keep(first('2026-01', make))
    expect([again.digest, await store.isWhole(again)]).toEqual([file.digest, true])
  })

  test('of earlier versions are listed, read, corrected and created again like the others', async () => {
    const store = createFileStore(database)
    await database.sql`insert into day_files (day, content) values ('2025-12-30', 'one')`
    await database.sql`
      insert into day_file_editions (day, edition, content) values ('2025-12-30', 2, 'two')`
    const file = await store.find('2025-12-30', 1)
    expect(file).toMatchObject({ editions: 2, rows: null, bytes: 3 })
    expect(await store.isWhole(file!)).toBe(true)
    expect([await textOf('2025-12-30'), await textOf('2025-12-30', 2)]).toEqual(['one', 'two'])
    const listed = (await store.list()).filter(({ period }) => period === '2025-12-30')
    expect(listed.map(({ edition, rows, bytes }) => [edition, rows, bytes])).toEqual([
      [1, null, 3],
      [2, null, 3],
    ])
    const knownMs = Date.parse('2025-12-31T01:00:00Z')
    const same = { period: '2025-12-30', make: made('two'), knownMs }
    expect(await store.correct(same)).toBe(false)
    expect(await store.correct({ ...same, make: made('three') })).toBe(true)
    expect(await textOf('2025-12-30', 3)).toBe('three')
    expect((await store.find('2025-12-30', 1))?.editions).toBe(3)
    expect(await store.missing(['2025-12-30', '2025-12-29'])).toEqual(['2025-12-29'])
  })

  test('are 2,000 days at most: beyond that the oldest files are deleted', async () => {
    await database.sql`
      insert into day_files (day, content, made_at)
      select date '2000-01-01' + n, 'x', timestamptz '2020-01-01' + n * interval '1 minute'
      from generate_series(0, 1999) n`
    const days = async () => (await periods()).filter(({ length }) => length === 10)
    expect(await days()).toHaveLength(2003)
    await createFileStore(database).keep(first('2026-03-02', made('new')))
    const after = await days()
    expect(after).toHaveLength(2000)
    expect(after.slice(-3)).toEqual(['2026-03-02', '2026-03-03', '2026-03-04'])
    expect(after[0]).toBe('2000-01-05')
    expect(await textOf('2026-02')).toBe('file 1')
  })
})
