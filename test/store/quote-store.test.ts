import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { boundariesMs, hourStartMs } from '~/domain/freshness.ts'
import type { Observation } from '~/domain/observation.ts'
import { newestFirst, type Quote } from '~/domain/quote.ts'
import { valueAt } from '~/memory/trail.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createQuoteStore, liveStatement } from '~/store/quote-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { databasesOfFile, NOW_MS, observation, scannedTables, stockedDatabase } from './samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)

async function record(
  database: FreshDatabase,
  observations: Observation[],
): Promise<readonly number[]> {
  const result = await createObservationStore(database).record({ observations, idempotency: null })
  return result.kind === 'recorded' ? result.ids : []
}

const quoteOf = (row: Observation, id: number): Quote => ({
  id,
  atMs: row.effectiveMs,
  providerId: row.providerId,
  from: row.from,
  to: row.to,
  rate: Number(row.rate),
  fee: row.fee === null ? null : Number(row.fee),
  feeCurrency: row.feeCurrency,
  rateType: row.rateType,
  evidence: row.evidence,
  offer: null,
  ...(row.notes !== null && { notes: row.notes }),
})

/** Quotes in one order, to compare lists without a promised one. */
const sorted = (quotes: readonly Quote[]) => quotes.toSorted((a, b) => a.id - b.id)

describe('live', () => {
  test('is empty without observations', async () => {
    expect(await createQuoteStore(await newDatabase()).live(NOW_MS)).toEqual([])
  })

  test('returns the newest of each provider and corridor, with every field', async () => {
    const database = await newDatabase()
    const rows = [
      observation({ rate: '129.123456', fee: '1.5', feeCurrency: 'USD', notes: 'x' }),
      observation({ providerId: 'official-a', rateType: 'official', rate: '130' }),
      observation({ to: 'NGN', fee: '0', feeCurrency: 'NGN' }),
    ].map((row) => ({ ...row, effectiveMs: NOW_MS - 5 * HOUR_MS }))
    const older = rows.map((row) => ({ ...row, rate: '1', effectiveMs: row.effectiveMs - 1 }))
    const ids = await record(database, [...rows, ...older])
    const expected = rows.map((row, i) => quoteOf(row, ids[i]!))
    expect(sorted(await createQuoteStore(database).live(NOW_MS))).toEqual(expected)
  })

  test('takes the one recorded last among equal times', async () => {
    const database = await newDatabase()
    const ids = await record(database, [observation({ rate: '1' }), observation({ rate: '2' })])
    const [, last] = ids
    const quotes = await createQuoteStore(database).live(NOW_MS + 2 * HOUR_MS)
    expect(quotes.map(({ id, rate }) => ({ id, rate }))).toEqual([{ id: last!, rate: 2 }])
  })

  test('returns the quotes in force at every boundary, for any history and clock', async () => {
    const database = await newDatabase()
    const pairs = ['KES', 'NGN', 'UGX'].flatMap((to) =>
      ['retail-a', 'p2p-a'].map((providerId) => ({ to, providerId })),
    )
    const history = fc.sample(
      fc.record({
        pair: fc.constantFrom(...pairs),
        halfHours: fc.integer({ min: -12, max: 12 }),
        jitterMs: fc.constantFrom(-1, 0, 1),
      }),
      { numRuns: 400, seed: 7 },
    )
    const hourMs = hourStartMs(NOW_MS)
    const rows = history.map(({ pair, halfHours, jitterMs }) =>
      observation({ ...pair, effectiveMs: hourMs + (halfHours * HOUR_MS) / 2 + jitterMs }),
    )
    const ids: number[] = []
    for (let start = 0; start < rows.length; start += 100)
      ids.push(...(await record(database, rows.slice(start, start + 100))))
    const all = rows.map((row, i) => quoteOf(row, ids[i]!))
    const store = createQuoteStore(database)
    for (let minutes = -420; minutes <= 420; minutes += 15) {
      const nowMs = hourMs + minutes * 60_000
      expect(sorted(await store.live(nowMs))).toEqual(heldAtBoundaries(all, nowMs))
    }
  })

  test('returns each quote once, and future ones', async () => {
    const database = await newDatabase()
    const [id] = await record(database, [observation({ effectiveMs: NOW_MS + 3 * HOUR_MS })])
    const quotes = await createQuoteStore(database).live(NOW_MS)
    expect(quotes.map((quote) => quote.id)).toEqual([id!])
  })
})

function heldAtBoundaries(all: readonly Quote[], nowMs: number): Quote[] {
  const held = new Set<Quote>()
  const pairs = Map.groupBy(all, ({ to, providerId }) => `${to} ${providerId}`)
  for (const quotes of pairs.values()) {
    const trail = quotes.toSorted(newestFirst)
    for (const cutoffMs of boundariesMs(nowMs)) {
      const quote = valueAt(trail, cutoffMs)
      if (quote) held.add(quote)
    }
  }
  return sorted([...held])
}

describe('the plan of live', () => {
  let database: FreshDatabase

  beforeAll(async () => {
    database = await newDatabase()
    const rows = (async function* () {
      for (let start = 0; start < 60_000; start += 1000)
        yield Array.from({ length: 1000 }, (_, i) =>
          observation({
            to: ['KES', 'NGN', 'UGX'][i % 3]!,
            providerId: ['retail-a', 'p2p-a'][i % 2]!,
            effectiveMs: NOW_MS - (start + i) * 1000,
          }),
        )
    })()
    await importObservations({ database, rows, makesMonths: true })
    await database.sql`alter table observation_months.m2026_03 set (autovacuum_enabled = false)`
  })

  const latest = () =>
    liveStatement(database.sql, database.sql, {
      nowMs: NOW_MS,
      offers: null,
      isDistributed: false,
    })

  test('has no sequential scan of a history, before the table has statistics', async () => {
    expect(await scannedTables(database, latest())).not.toContain('m2026_03')
  })

  test('has no sequential scan of a history once it has statistics', async () => {
    await database.sql`analyze observations`
    expect(await scannedTables(database, latest())).not.toContain('m2026_03')
  })

  test('finds a sequential scan if there is one', async () => {
    const statement = database.sql`select max(rate) from observations`
    expect(await scannedTables(database, statement)).toContain('m2026_03')
  })
})
