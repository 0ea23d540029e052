import { beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import type { Database } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createHeldStore } from '~/store/past/held-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { databasesOfFile, NOW_MS, observation, stockedDatabase } from './samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)
const KENYA = { from: 'USD', to: 'KES' }
const NIGERIA = { from: 'USD', to: 'NGN' }

/** Results of all queries about one corridor, in short form. */
async function answersOf(database: Database, corridor: typeof KENYA) {
  const window = { fromMs: NOW_MS - DAY_MS, beforeMs: NOW_MS + 1 }
  const page = {
    corridor,
    ...window,
    providerId: null,
    order: 'asc',
    limit: 10,
    offset: 0,
  } as const
  const stretches = [{ ...window, lastMs: NOW_MS }]
  const [history, series] = [createHistoryStore(database), createSeriesStore(database)]
  const quotes = [
    await history.page(page),
    await history.page({ ...page, providerId: 'retail-a' }),
    await createSnapshotStore(database).standing(corridor, {
      sinceMs: NOW_MS,
      beforeMs: NOW_MS + 1,
    }),
    await createHeldStore(database).lastIn(corridor, stretches),
  ]
  const buckets = await series.buckets({ corridor, ...window, interval: 'P1D' })
  const firstMs = await series.firstObservedMs(corridor)
  return {
    rates: quotes.map((found) => found.map(({ rate }) => rate)),
    best: buckets.map(({ best }) => best),
    isObserved: firstMs !== null,
  }
}

const answered = (rate: number) => ({
  rates: [[rate], [rate], [rate], [rate]],
  best: [rate],
  isObserved: true,
})

const NOTHING = { rates: [[], [], [], []], best: [], isObserved: false }

describe('queries of a corridor', () => {
  let database: FreshDatabase

  beforeAll(async () => {
    database = await newDatabase()
    const effectiveMs = NOW_MS - 1000
    const observations = [
      observation({ ...KENYA, rate: '130', effectiveMs }),
      observation({ ...NIGERIA, rate: '1600', effectiveMs }),
    ]
    await createObservationStore(database).record({ observations, idempotency: null })
  })

  test('return its own rows, and none if no provider quoted it', async () => {
    expect(await answersOf(database, KENYA)).toEqual(answered(130))
    expect(await answersOf(database, NIGERIA)).toEqual(answered(1600))
    expect(await answersOf(database, { from: 'GBP', to: 'KES' })).toEqual(NOTHING)
  })

  test('never return the rows of another that now has its id, as after a failover', async () => {
    const { sql } = database
    expect(await answersOf(database, KENYA)).toEqual(answered(130))
    const exchange = () => sql`
      update corridors set target = case target when 'KES' then 'NGN' else 'KES' end`
    await sql`alter table corridors drop constraint corridors_pair`
    await exchange()
    expect(await answersOf(database, KENYA)).toEqual(answered(1600))
    expect(await answersOf(database, NIGERIA)).toEqual(answered(130))
    await sql`update corridors set target = 'UGX' where target = 'KES'`
    expect(await answersOf(database, KENYA)).toEqual(NOTHING)
  })
})
