import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { heldKey, lasting } from '~/domain/offer/held.ts'
import { lastMsOf, PLAIN } from '~/domain/offer/terms.ts'
import { ALWAYS_MS } from '~/domain/period.ts'
import { newestFirst, type Quote } from '~/domain/quote.ts'
import { connect } from '~/store/database.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createHeldStore } from '~/store/past/held-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { offer } from '../../support/offers.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { databasesOfFile, NOW_MS, observation, stockedDatabase } from '../samples.ts'

const newDatabase = databasesOfFile(stockedDatabase)
const KENYA = { from: 'USD', to: 'KES' }
const DAYS = 500

const row = fc.record({
  providerId: fc.constantFrom('retail-a', 'p2p-a'),
  identity: fc.constantFrom(null, offer({ service: 'a' })),
  effectiveMs: fc.integer({ min: 0, max: DAYS }).map((days) => NOW_MS - days * DAY_MS),
  validHours: fc.option(fc.constantFrom(1, 30, 700, 767, 768, 769, 2000, 9000)),
})

async function emptied({ sql }: FreshDatabase): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`truncate observations, long_prices, offers, rollups`
  })
}

type Row = typeof row extends fc.Arbitrary<infer T> ? T : never

async function recorded(database: FreshDatabase, rows: readonly Row[]) {
  const observations = rows.map(({ providerId, identity, effectiveMs, validHours }) => ({
    ...observation({ ...KENYA, providerId, effectiveMs }),
    offer:
      validHours === null
        ? identity
        : { ...(identity ?? PLAIN), validUntilMs: effectiveMs + validHours * HOUR_MS },
  }))
  const done = await createObservationStore(database).record({ observations, idempotency: null })
  if (done.kind !== 'recorded') throw new Error(done.kind)
  return createQuoteStore(database).byIds(done.ids, null)
}

const idsOf = (quotes: readonly { id: number }[]) =>
  quotes.map(({ id }) => id).sort((a, b) => a - b)

const isEnding = (quote: Quote) => Number.isFinite(lastMsOf(quote))

/** The newest of each offer. */
const newestOf = (quotes: readonly Quote[]) =>
  [...Map.groupBy(quotes, heldKey).values()].map((all) => all.toSorted(newestFirst)[0]!)

describe('the prices known at a time, of observations in many months', () => {
  test(
    'agree with all of history, for any history and time',
    async () => {
      const database = await newDatabase()
      const since = new Date(NOW_MS - DAYS * DAY_MS).toISOString()
      await database.sql`select make_earlier_months(${since}::timestamptz)`
      const [snapshots, held] = [createSnapshotStore(database), createHeldStore(database)]
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 24 }), async (rows) => {
          await emptied(database)
          const all = await recorded(database, rows)
          for (const days of [-40, 0, 1, 33, 200, 480]) {
            const ms = NOW_MS - days * DAY_MS
            const past = all.filter(({ atMs }) => atMs < ms + 1)
            const valid = past.filter((quote) => lastMsOf(quote) >= ms)
            const standing = await snapshots.standing(KENYA, { sinceMs: ms, beforeMs: ms + 1 })
            expect(idsOf(standing)).toEqual(idsOf(lasting(valid)))
            const stretch = { fromMs: ALWAYS_MS, beforeMs: ms + 1, lastMs: ms }
            const last = await held.lastIn(KENYA, [stretch])
            const endless = newestOf(past.filter((quote) => !isEnding(quote)))
            expect(idsOf(last)).toEqual(idsOf([...endless, ...lasting(valid.filter(isEnding))]))
          }
        }),
        { numRuns: 15 },
      )
    },
    TEST_MS_MAX,
  )

  test('are queried once if a price without an end is newer than a long one', async () => {
    const database = await newDatabase()
    const since = new Date(NOW_MS - DAYS * DAY_MS).toISOString()
    await database.sql`select make_earlier_months(${since}::timestamptz)`
    const at = (days: number, validHours: Row['validHours']): Row => ({
      ...{ providerId: 'retail-a', identity: null, validHours },
      effectiveMs: NOW_MS - days * DAY_MS,
    })
    const [, newer] = await recorded(database, [at(90, 9000), at(2, null)])
    let searches = 0
    const sql = connect(database.url, {
      onQuery: (query) => (searches += Number(query.includes('from observations'))),
    })
    const { standing } = createSnapshotStore({ ...database, sql })
    const now = { sinceMs: NOW_MS, beforeMs: NOW_MS + 1 }
    for (const asked of [1, 2]) {
      expect(await standing(KENYA, now)).toMatchObject([newer!])
      expect(searches).toBe(asked)
    }
    const then = { sinceMs: NOW_MS - 3 * DAY_MS, beforeMs: NOW_MS - 3 * DAY_MS + 1 }
    expect(await standing(KENYA, then)).toHaveLength(1)
    expect(searches).toBe(4)
    await sql.end()
  })

  test('include a long price if a stretch with a start has no other', async () => {
    const database = await newDatabase()
    const since = new Date(NOW_MS - DAYS * DAY_MS).toISOString()
    await database.sql`select make_earlier_months(${since}::timestamptz)`
    const [long] = await recorded(database, [
      {
        ...{ providerId: 'retail-a', identity: null, validHours: 9000 },
        effectiveMs: NOW_MS - 90 * DAY_MS,
      },
    ])
    const { lastIn } = createHeldStore(database)
    const stretch = { fromMs: NOW_MS - 100 * DAY_MS, beforeMs: NOW_MS + 1, lastMs: NOW_MS }
    expect(await lastIn(KENYA, [stretch])).toMatchObject([{ id: long!.id }])
  })
})
