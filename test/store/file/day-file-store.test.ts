import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { DayPast } from '~/service/file/day-file.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createDayFileStore } from '~/store/file/day-file-store.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
}, TEST_MS_MAX)
afterAll(() => database.close())

const bytes = (text: string) => new TextEncoder().encode(text)
/** How many processes wait for another to make a file of this database. */
async function waiting(): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_locks
    where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
  return row!.count
}

const days = async () =>
  (await database.sql<{ day: string }[]>`select day::text from day_files order by day`).map(
    ({ day }) => day,
  )

describe('the files of days', () => {
  test('are none in a database without observations', async () => {
    const store = createDayFileStore(database)
    expect(await store.find('2026-03-04')).toBeNull()
    const past = Promise.withResolvers<unknown>()
    const refuse = async ({ firstMs, corridorsBefore }: DayPast) => {
      past.resolve([await firstMs(), await corridorsBefore(Date.now())])
      throw new Error('nothing to write')
    }
    await expect(store.keep('2026-03-04', refuse)).rejects.toThrow('nothing to write')
    expect(await past.promise).toEqual([null, []])
  })

  test('are made by one process, while the others wait for it and get its file', async () => {
    const stores = Array.from({ length: 4 }, () => createDayFileStore(database))
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let made = 0
    const make = async () => {
      const own = `file ${++made}`
      begun.resolve()
      await go.promise
      return bytes(own)
    }
    const kept = stores.map((store) => store.keep('2026-03-04', make))
    await begun.promise
    await until('all others wait', async () => (await waiting()) === stores.length - 1)
    go.resolve()
    expect(await Promise.all(kept)).toEqual(stores.map(() => bytes('file 1')))
    expect((await stores[3]!.find('2026-03-04'))?.content).toEqual(bytes('file 1'))
    expect(made).toBe(1)
  })

  test('are made again after one that failed, of which nothing is kept', async () => {
    const store = createDayFileStore(database)
    const fail = () => Promise.reject(new Error('away'))
    await expect(store.keep('2026-03-03', fail)).rejects.toThrow('away')
    expect(await store.find('2026-03-03')).toBeNull()
    expect(await store.keep('2026-03-03', async () => bytes('whole'))).toEqual(bytes('whole'))
  })

  test('are 2,000 at most: beyond that the ones made first go', async () => {
    await database.sql`
      insert into day_files (day, content, made_at)
      select date '2000-01-01' + n, 'x', timestamptz '2020-01-01' + n * interval '1 minute'
      from generate_series(0, 1999) n`
    const before = await days()
    expect(before).toHaveLength(2002)
    await createDayFileStore(database).keep('2026-03-02', async () => bytes('new'))
    const after = await days()
    expect(after).toHaveLength(2000)
    expect(after.slice(-3)).toEqual(['2026-03-02', '2026-03-03', '2026-03-04'])
    expect(after[0]).toBe('2000-01-04')
  })
})
