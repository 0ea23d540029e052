import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { renewStatistics } from '~/store/month/statistics.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { restoreBackup, writeBackup } from '~/store/transfer/backup.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { databasesOfFile, inArrays, observation, stockedDatabase } from '../samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)
const YEAR_MS = 365 * DAY_MS
/** The number of rows that an import inspects. */
const LOOKED = 10_000

async function* each(lines: readonly string[]) {
  yield* lines
}

/** The number of rows of each non-empty partition. */
async function partsOf({ sql }: FreshDatabase): Promise<Record<string, number>> {
  const rows = await sql<{ part: string; rows: number }[]>`
    select split_part(tableoid::regclass::text, '.', 2) as part, count(*)::int as rows
    from observations group by 1 order by 1`
  return Object.fromEntries(rows.map(({ part, rows }) => [part, rows]))
}

const partNames = async ({ sql }: FreshDatabase) =>
  (
    await sql<{ name: string }[]>`
      select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'observations'::regclass order by 1`
  ).map(({ name }) => name)

const nameOf = (ms: number): string =>
  `m${new Date(ms).toISOString().slice(0, 7).replace('-', '_')}`

/** Rows that are spread evenly over the days before now, oldest first. */
const spread = (rows: number, days: number) =>
  Array.from({ length: rows }, (_, i) =>
    observation({ effectiveMs: Date.now() - Math.floor(((rows - i) * days * DAY_MS) / rows) }),
  )

const record = async (database: FreshDatabase, days: readonly number[]) =>
  createObservationStore(database).record({
    observations: days.map((ago) => observation({ effectiveMs: Date.now() - ago * DAY_MS })),
    idempotency: null,
  })

describe('an import', () => {
  test('of many rows first creates the months that they need', async () => {
    const database = await newDatabase()
    const before = await partNames(database)
    let created = 0
    await importObservations({
      database,
      makesMonths: true,
      onMonths: (made) => {
        created = made
      },
      rows: inArrays(spread(LOOKED, 400), 1000),
    })
    const parts = await partsOf(database)
    expect(parts.early ?? 0).toBeLessThan(LOOKED / 50)
    expect(Object.keys(parts).length).toBeGreaterThanOrEqual(13)
    expect((await partNames(database)).length).toBe(before.length + created)
    const [row] = await database.sql`select count(*)::int as rows from observations`
    expect(row!.rows).toBe(LOOKED)
  })

  test('of few rows creates no months', async () => {
    const database = await newDatabase()
    const before = await partNames(database)
    const counts: number[] = []
    await importObservations({
      database,
      makesMonths: true,
      onMonths: (made) => counts.push(made),
      rows: inArrays(spread(LOOKED - 1, 400), 1000),
    })
    expect(await partNames(database)).toEqual(before)
    expect(counts).toEqual([0])
  })

  test('creates no months for a few rows that are much older, and at most ten years of months', async () => {
    const database = await newDatabase()
    const old = spread(50, 30).map((row) => ({
      ...row,
      effectiveMs: row.effectiveMs - 9 * YEAR_MS,
    }))
    await importObservations({
      database,
      makesMonths: true,
      rows: inArrays([...old, ...spread(LOOKED, 90)], 1000),
    })
    expect((await partNames(database)).length).toBeLessThan(12)
    expect((await partsOf(database)).early).toBe(50)
    await importObservations({
      database,
      makesMonths: true,
      rows: inArrays(spread(LOOKED, 4000), 1000),
    })
    const { length } = await partNames(database)
    expect(length).toBeGreaterThan(120)
    expect(length).toBeLessThanOrEqual(2 + 3 + 121)
  })

  test('that must not create months creates none', async () => {
    const database = await newDatabase()
    const before = await partNames(database)
    await importObservations({ database, rows: inArrays(spread(LOOKED, 400), 1000) })
    expect(await partNames(database)).toEqual(before)
  })

  test('records its rows if the table is too busy for new months', async () => {
    const database = await newDatabase()
    const before = await partNames(database)
    await database.sql.begin(async (tx) => {
      await tx`select from observations`
      expect(await makeEarlierMonths(database, Date.now() - YEAR_MS)).toBe(null)
    })
    expect(await partNames(database)).toEqual(before)
  })
})

describe('earlier months', () => {
  test('receive the few rows of theirs that were recorded before', async () => {
    const database = await newDatabase()
    await record(database, [35, 70, 70, 400])
    const ids = await database.sql`select id, effective_from from observations order by id`
    expect(await makeEarlierMonths(database, Date.now() - 100 * DAY_MS)).toBeGreaterThan(2)
    const parts = await partsOf(database)
    expect(parts[nameOf(Date.now() - 70 * DAY_MS)]).toBe(2)
    expect(parts.early).toBe(1)
    expect([
      ...(await database.sql`select id, effective_from from observations order by id`),
    ]).toEqual([...ids])
    await record(database, [3000, 80, 0])
    expect((await partsOf(database)).early).toBe(2)
  })

  test('are not created if many rows would have to move', async () => {
    const database = await newDatabase()
    const rows = spread(20_001, 20).map((row) => ({ ...row, effectiveMs: Date.now() - YEAR_MS }))
    await database.sql`select make_observation_months(now())`
    for (let start = 0; start < rows.length; start += 9000)
      await importObservations({ database, rows: inArrays(rows.slice(start, start + 9000), 1000) })
    const before = await partNames(database)
    expect(await makeEarlierMonths(database, Date.now() - 2 * YEAR_MS)).toBe(0)
    expect(await makeEarlierMonths(database, Date.now() - YEAR_MS / 2)).toBeGreaterThan(0)
    expect((await partNames(database)).length).toBeGreaterThan(before.length)
  })
})

describe('earlier months', () => {
  test('are created a year at a time, and only missing ones', async () => {
    const database = await newDatabase()
    const transactions = async () => {
      const [row] = await database.sql<[{ made: number; parts: number }]>`
        select count(distinct xmin::text)::int as made, count(*)::int as parts from pg_class
        where relkind = 'r' and relnamespace = 'observation_months'::regnamespace
          and relname like 'm%'`
      return row
    }
    const before = await transactions()
    expect(await makeEarlierMonths(database, Date.now() - YEAR_MS / 4)).toBeGreaterThan(1)
    expect(await makeEarlierMonths(database, Date.now() - 3.2 * YEAR_MS)).toBeGreaterThan(30)
    const { made, parts } = await transactions()
    expect(made - before.made).toBe(5)
    expect(await makeEarlierMonths(database, 0)).toBe(120 - (parts - before.parts))
    expect(await makeEarlierMonths(database, 0)).toBe(0)
  })
})

describe('a restored backup', () => {
  const written = async (database: FreshDatabase) => {
    let text = ''
    const decoder = new TextDecoder()
    await writeBackup(database, async (part) => {
      text += typeof part === 'string' ? part : decoder.decode(part, { stream: true })
    })
    return text.trimEnd().split('\n')
  }

  test('has the months of its original database', async () => {
    const database = await newDatabase()
    await record(database, [35, 70, 400])
    expect(await makeEarlierMonths(database, Date.now() - 100 * DAY_MS)).toBeGreaterThan(2)
    const restored = await freshDatabase()
    await restoreBackup(restored, each(await written(database)))
    expect(await partsOf(restored)).toEqual(await partsOf(database))
    expect(await partNames(restored)).toEqual(await partNames(database))
    await restored.close()
  })
})

describe('the statistics of all observations', () => {
  test('are renewed once their number has changed much, and on request', async () => {
    const database = await newDatabase()
    expect(await renewStatistics(database, { anyway: false })).toBe(false)
    await importObservations({ database, rows: inArrays(spread(2000, 10), 1000) })
    await database.sql`analyze observation_months.early`
    for (const name of (await partNames(database)).filter((part) => part !== 'early'))
      await database.sql`analyze observation_months.${database.sql(name)}`
    expect(await renewStatistics(database, { anyway: false })).toBe(true)
    expect(await renewStatistics(database, { anyway: false })).toBe(false)
    expect(await renewStatistics(database, { anyway: true })).toBe(true)
    const [row] = await database.sql`
      select count(*)::int as columns from pg_stats where tablename = 'observations'`
    expect(row!.columns).toBeGreaterThan(10)
  })
})
