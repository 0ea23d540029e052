import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { PageAsk } from '~/domain/history.ts'
import type { Observation } from '~/domain/observation.ts'
import { type Offer, PLAIN } from '~/domain/offer/terms.ts'
import { keptFromMs, type PruneDeps, pruneObservations } from '~/jobs/prune-observations.ts'
import { QuoteIndex } from '~/memory/quote-index.ts'
import { listenForNotifications } from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createRollupStore } from '~/store/past/rollup-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createQuoteStore } from '~/store/quote-store.ts'
import { createWithdrawalStore } from '~/store/recording/withdrawal-store.ts'
import { NOW_MS, observation, stockedDatabase } from '../store/samples.ts'
import { PROVIDERS } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const YEARS = 5
const LIMIT_MS = keptFromMs(NOW_MS, YEARS)
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY }
const CORRIDOR = { from: 'USD', to: 'KES' }
const RUNS = 12

let database: FreshDatabase
let deps: PruneDeps

beforeAll(async () => {
  database = await stockedDatabase()
  deps = {
    store: createRetentionStore(database),
    rollups: createRollupStore(database),
    clock: { now: () => NOW_MS },
    actor: 'a test',
  }
}, TEST_MS_MAX)
afterAll(() => database.close())

const record = (...observations: Observation[]) =>
  createObservationStore(database).record({ observations, idempotency: null })

const said = (to: string, effectiveMs: number, rate = '1') => observation({ to, effectiveMs, rate })

const prune = async () => (await pruneObservations(deps, YEARS))!.observations

const kept = async (to: string) => {
  const rows = await database.sql`
    select (extract(epoch from o.effective_from) * 1000)::float8 as at from observations o
    join corridors c on c.id = o.corridor_id where c.target = ${to} order by o.effective_from, o.id`
  return rows.map(({ at }) => (at - LIMIT_MS) / HOUR_MS)
}

const rollup = async (to: string, hourMs: number) => {
  const [row] = await database.sql`
    select best_rate as best, samples, pruned from rollups r join corridors c on c.id = r.corridor_id
    where c.target = ${to} and hour = ${new Date(hourMs).toISOString()}`
  return { ...row }
}

async function differences() {
  const corridors = await deps.rollups.corridors()
  const all = corridors.map((corridor) => deps.rollups.differences(corridor, ALWAYS))
  return (await Promise.all(all)).flat()
}

describe('pruneObservations', () => {
  test('deletes observations older than the limit, except the last of each provider', async () => {
    const hours = (n: number) => LIMIT_MS + n * HOUR_MS
    await record(said('NGN', hours(-30)), said('NGN', hours(-20)), said('NGN', LIMIT_MS - 1))
    await record(said('NGN', LIMIT_MS), said('NGN', hours(9)))
    await record({ ...said('NGN', hours(-40)), providerId: 'p2p-a', rateType: 'p2p' })
    expect(await prune()).toBe(2)
    expect(await kept('NGN')).toEqual([-40, -1 / HOUR_MS, 0, 9])
    expect(await prune()).toBe(0)
  })

  test('keeps the last of each offer, and older ones that stay valid for longer', async () => {
    const hours = (n: number) => LIMIT_MS + n * HOUR_MS
    const price = (
      n: number,
      validHours: number | null,
      more: Partial<Offer> = { service: 'y' },
    ) => ({
      ...said('USDC', hours(n)),
      offer: offer({ ...more, validUntilMs: validHours === null ? null : hours(validHours) }),
    })
    await record(price(-30, null), price(-29, null), price(-28, -1), price(-27, 9), price(-26, 5))
    await record(price(-25, 7), price(-24, -20), price(-23, -2))
    await record(price(-10, -9, { service: 'x' }), price(-8, -7, { service: 'x' }))
    await record(said('USDC', hours(-5)), said('USDC', hours(-4)))
    const store = createRetentionStore(database)
    const all = await store.outdated(LIMIT_MS)
    const counts = await Promise.all(all.map((series) => store.count(series, LIMIT_MS)))
    expect(counts).toEqual([6])
    expect(await prune()).toBe(6)
    expect(await kept('USDC')).toEqual([-29, -27, -25, -23, -8, -4])
    expect(await store.outdated(LIMIT_MS)).toEqual([])
  })

  test('deletes withdrawn observations of that age too, without counting them', async () => {
    const old = said('GBP', LIMIT_MS - HOUR_MS)
    const recording = await record(old, said('GBP', LIMIT_MS - 1), said('GBP', LIMIT_MS))
    if (recording.kind !== 'recorded') throw new Error(recording.kind)
    const wish = { ids: recording.ids, reason: 'x', recorder: null, atMs: NOW_MS }
    await createWithdrawalStore(database).withdraw(wish)
    const withdrawn = async () => {
      const rows = await database.sql`select id from withdrawals order by id`
      return rows.map(({ id }) => Number(id))
    }
    expect(await withdrawn()).toEqual([...recording.ids])
    expect(await prune()).toBe(0)
    expect(await withdrawn()).toEqual(recording.ids.slice(2))
    expect(await kept('GBP')).toEqual([])
    expect(await differences()).toEqual([])
  })

  test('keeps the roll-ups with their rates', async () => {
    const hourMs = LIMIT_MS - 50 * HOUR_MS
    await record(said('UGX', hourMs, '7'), said('UGX', hourMs + 1, '3'), said('UGX', hourMs + 2))
    await prune()
    expect(await rollup('UGX', hourMs)).toEqual({ best: '7', samples: 3, pruned: 2 })
    expect(await differences()).toEqual([])
  })

  test('a roll-up of a pruned hour still counts late observations, and can be repaired', async () => {
    const hourMs = LIMIT_MS - 60 * HOUR_MS
    await record(said('ZAR', hourMs, '7'), said('ZAR', hourMs + 1, '3'), said('ZAR', hourMs + 2))
    await prune()
    await record(said('ZAR', hourMs + 9, '9'))
    const right = { best: '9', samples: 4, pruned: 2 }
    expect(await rollup('ZAR', hourMs)).toEqual(right)
    await database.sql`update rollups set best_rate = 8, samples = 1 where samples = 4`
    const corridors = await deps.rollups.corridors()
    const corridor = corridors.find(({ to }) => to === 'ZAR')!
    expect(await createRollupStore(database).differences(corridor, ALWAYS)).toEqual([
      {
        hourMs,
        kept: { best: '8', counted: '8', samples: 1 },
        observed: { best: '9', counted: '9', samples: 4 },
      },
    ])
    await deps.rollups.repair(corridor, [hourMs])
    expect(await rollup('ZAR', hourMs)).toEqual(right)
  })

  test('a wrong roll-up is corrected before its observations are deleted', async () => {
    const hourMs = LIMIT_MS - 70 * HOUR_MS
    await record(said('XOF', hourMs, '7'), said('XOF', hourMs + 1, '3'), said('XOF', hourMs + 2))
    await database.sql`update rollups set best_rate = 1, samples = 1 where best_rate = 7 and
      hour = ${new Date(hourMs).toISOString()}`
    await prune()
    expect(await rollup('XOF', hourMs)).toEqual({ best: '7', samples: 3, pruned: 2 })
  })

  test('records who pruned what, permanently, and notifies listeners', async () => {
    await record(said('KES', LIMIT_MS - 3), said('KES', LIMIT_MS - 2))
    const received = Promise.withResolvers<object>()
    const news = await listenForNotifications(database, {
      onNotification: received.resolve,
      onConnect() {},
    })
    await prune()
    expect(await received.promise).toMatchObject({ kind: 'observations' })
    news.stop()
    const [last] = await database.sql`
      select actor, (extract(epoch from before) * 1000)::float8 as before, observations
      from prunings order by id desc limit 1`
    expect(last).toEqual({ actor: 'a test', before: LIMIT_MS, observations: 1 })
    await expect(database.sql`delete from prunings`).rejects.toThrow('append-only')
  })

  test('the next run records what a killed run deleted', async () => {
    await record(said('KES', LIMIT_MS - 90), said('KES', LIMIT_MS - 80), said('KES', LIMIT_MS - 7))
    const store = createRetentionStore(database)
    for (const { id } of await store.outdated(LIMIT_MS)) {
      await store.prune(id, { beforeMs: LIMIT_MS, rowsMax: 1 })
    }
    expect(await prune()).toBeGreaterThan(0)
    const [sums] = await database.sql`
      select (select sum(observations)::int from prunings) as counted,
        (select sum(pruned)::int from rollups) as gone`
    expect(sums!.counted).toBe(sums!.gone)
    const runs = await database.sql`select actor from prunings order by id desc limit 2`
    expect(runs.map(({ actor }) => actor)).toEqual(['a test', 'a run that was broken off'])
  })

  test('does nothing in the second of two concurrent runs', async () => {
    const both = await deps.store.once(() => pruneObservations(deps, YEARS))
    expect(both).toBeNull()
  })

  test('counts in advance what it would delete', async () => {
    await record(said('KES', LIMIT_MS - 9), said('KES', LIMIT_MS - 8), said('KES', LIMIT_MS - 7))
    const store = createRetentionStore(database)
    const counts = (await store.outdated(LIMIT_MS)).map((series) => store.count(series, LIMIT_MS))
    const sum = (await Promise.all(counts)).reduce((a, b) => a + b, 0)
    expect(await prune()).toBe(sum)
    expect(sum).toBe(3)
  })
})

describe('the database', () => {
  test('refuses every other way to delete, and to prune observations younger than a year', async () => {
    const { sql } = database
    await expect(sql`delete from observations`).rejects.toThrow('append-only')
    await expect(sql`update observations set rate = 1`).rejects.toThrow('append-only')
    await expect(sql`truncate observations`).rejects.toThrow('append-only')
    const young = new Date(Date.now() - 364 * DAY_MS).toISOString()
    await expect(sql`select prune_observations(1, ${young}, 1)`).rejects.toThrow('for a year')
  })
})

describe('laws', () => {
  const row = fc.record({
    provider: fc.constantFrom(...PROVIDERS),
    rate: fc.constantFrom('1', '1.5', '2'),
    hours: fc.oneof(fc.integer({ min: -900, max: 900 }), fc.integer({ min: -3, max: 3 })),
    said: fc.constantFrom(null, offer({ service: 'a' }), offer({ amountMin: 2 })),
    validHours: fc.option(fc.integer({ min: 1, max: 900 })),
  })
  const rows = fc.array(row, { maxLength: 60 })
  const moments = fc.array(fc.integer({ min: 0, max: 900 * HOUR_MS }), { maxLength: 5 })

  const answersAt = async (atMs: number) => {
    const ask: PageAsk = {
      corridor: CORRIDOR,
      fromMs: LIMIT_MS,
      beforeMs: atMs + 1,
      providerId: null,
      order: 'desc',
      limit: 20,
      offset: 3,
    }
    const standing = { sinceMs: atMs, beforeMs: atMs + 1 }
    return {
      standing: sorted(await createSnapshotStore(database).standing(CORRIDOR, standing)),
      page: await createHistoryStore(database).page(ask),
      live: sorted(await served(atMs + 3 * HOUR_MS)),
    }
  }
  /** Live quotes in memory, which never shows all that the store may find. */
  const served = async (nowMs: number) => {
    const quotes = await createQuoteStore(database).live(nowMs)
    return [...QuoteIndex.empty.with(quotes, nowMs).allQuotes()]
  }
  const sorted = <T extends { id: number }>(quotes: T[]) => quotes.toSorted((a, b) => a.id - b.id)
  const series = async () => {
    const window = { fromMs: LIMIT_MS - 1000 * HOUR_MS, beforeMs: LIMIT_MS + 1000 * HOUR_MS }
    const ask = { corridor: CORRIDOR, interval: 'P1D' as const, ...window }
    const buckets = await createSeriesStore(database).buckets(ask)
    return buckets.toSorted((a, b) => a.startMs - b.startMs)
  }

  test('pruning changes no response about a time since the limit, and no time series at all', async () => {
    const law = fc.asyncProperty(rows, moments, async (drawn, since) => {
      const observations = drawn.map(({ provider, rate, hours, said, validHours }) =>
        observation({
          offer:
            validHours === null
              ? said
              : { ...(said ?? PLAIN), validUntilMs: LIMIT_MS + (hours + validHours) * HOUR_MS },
          providerId: provider.id,
          rateType: provider.rateType,
          rate,
          effectiveMs: LIMIT_MS + hours * HOUR_MS,
        }),
      )
      await record(...observations)
      const asked = [LIMIT_MS, NOW_MS, ...since.map((ms) => LIMIT_MS + ms)]
      const answers = async () => [await series(), await Promise.all(asked.map(answersAt))]
      const before = await answers()
      const outdated = await createRetentionStore(database).outdated(LIMIT_MS)
      const prunable = outdated.reduce((sum, { count }) => sum + count!, 0)
      expect(await prune()).toBe(prunable)
      expect(await answers()).toEqual(before)
      expect(await differences()).toEqual([])
    })
    await fc.assert(law, { numRuns: RUNS })
  })

  test('pages across the limit show what is left, without a gap', async () => {
    const store = createHistoryStore(database)
    for (let n = -40; n < 40; n++) await record(said('KES', LIMIT_MS + n * 9 * HOUR_MS))
    await prune()
    const window = { fromMs: LIMIT_MS - 30 * DAY_MS, beforeMs: LIMIT_MS + 30 * DAY_MS }
    for (const order of ['asc', 'desc'] as const) {
      const ask: PageAsk = {
        ...window,
        corridor: CORRIDOR,
        providerId: null,
        order,
        limit: 1000,
        offset: 0,
      }
      const all = await store.page(ask)
      expect(all.length).toBeGreaterThan(10)
      for (let offset = 1; offset < all.length; offset += 3)
        expect(await store.page({ ...ask, offset, limit: 3 })).toEqual(
          all.slice(offset, offset + 3),
        )
    }
  })

  test('recording late rows while pruning leaves everything right', async () => {
    const late = (i: number) =>
      said('KES', LIMIT_MS - 1 - (i % 40) * 20 * 60_000, String(1 + (i % 7)))
    const recording = Promise.all(
      Array.from({ length: 60 }, (_, i) => record(late(i), late(i + 13), late(i + 7))),
    )
    for (let i = 0; i < 8; i++) await prune()
    await recording
    expect(await differences()).toEqual([])
  })
})
