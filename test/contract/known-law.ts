import { expect } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { KnownWorld as World } from './known-world.ts'

const agoMs = fc.constantFrom(
  ...[0, 0, 0, 1, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, HOUR_MS + 1, 3 * HOUR_MS],
  ...[DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 40 * DAY_MS],
)
export const iso = (ms: number): string => new Date(ms).toISOString()

const row = fc.record({
  provider_id: fc.constantFrom('retail-a', 'retail-a', 'retail-b', 'p2p-a', 'official-a'),
  pair: fc.constantFrom(['USD', 'KES'], ['USD', 'KES'], ['GBP', 'NGN'], ['USD', 'USDT']),
  rate: fc.integer({ min: 95, max: 150 }),
  fee: fc.constantFrom(undefined, 0, 1.5),
  fee_currency: fc.constantFrom(undefined, 'EUR'),
  agoMs,
  channel: fc.constantFrom(undefined, undefined, 'internet'),
  countries: fc.constantFrom([], ['US', 'KE'], ['US', 'KE']),
  forMs: fc.constantFrom(undefined, undefined, 5 * MINUTE_MS, 12 * HOUR_MS, 60 * DAY_MS),
})
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never

function bodyOf(said: Row, nowMs: number) {
  const { pair, agoMs, countries, forMs, fee, fee_currency, channel, ...rest } = said
  const atMs = nowMs - agoMs
  return {
    ...rest,
    ...{ from: pair[0]!, to: pair[1]!, effective_from: iso(atMs) },
    ...(fee !== undefined && { fee, ...(fee_currency && { fee_currency }) }),
    ...(channel && { channel }),
    ...(countries[0] && { source_country: countries[0], target_country: countries[1] }),
    ...(forMs && { valid_until: iso(atMs + forMs) }),
  }
}

const perUsd = fc.record({
  KES: fc.integer({ min: 100, max: 135 }),
  GBP: fc.constantFrom(0.75, 0.8),
  NGN: fc.constantFrom(90, 100, 1500),
  EUR: fc.constantFrom(0.9, 0.95),
})

type Event = (world: World) => Promise<unknown>

/** A recording, a restatement, a withdrawal, a change, or time that passes. */
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(row, { minLength: 1, maxLength: 4 })
      .map((rows) => (world: World) => world.post(rows.map((one) => bodyOf(one, world.nowMs)))),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(), fc.integer({ min: 95, max: 150 }))
      .map(([pick, rate]) => async (world: World) => {
        const said = world.rows[pick % Math.max(1, world.rows.length)]
        if (said) await world.post([{ ...said, rate }])
      }),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.nat(), { minLength: 1, maxLength: 3 })
      .map((picks) => async (world: World) => {
        const newest = world.ids.slice(-40)
        const ids = new Set(picks.map((pick) => newest[pick % Math.max(1, newest.length)]))
        if (newest.length > 0) await world.withdraw([...ids] as number[])
      }),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(perUsd, agoMs).map(
      ([rates, ms]) =>
        (world: World) =>
          world.feed(rates, ms),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('KES', 'NGN'), fc.nat({ max: 30 }), agoMs).map(
      ([currency, more, ms]) =>
        (world: World) =>
          world.importReference(currency, String(100 + more), ms),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.array(row, { minLength: 1, maxLength: 5 }).map(
      (rows) => (world: World) =>
        world.importRows(
          rows.map(({ provider_id, pair, rate, agoMs: ms }) => ({
            ...{ providerId: provider_id, from: pair[0]!, to: pair[1]!, rate: String(rate) },
            ...{ fee: null, feeCurrency: null, notes: null, evidence: 'observed', offer: null },
            ...{ rateType: 'retail', effectiveMs: world.nowMs - ms },
          })) as never,
        ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('retail-a', 'p2p-a', 'official-a'), fc.nat())
      .map(([id, nth]) => async (world: World) => {
        const known = world.providers.get(id)!
        const isActive = nth % 3 > 0 ? known.isActive : !known.isActive
        await world.catalogue({ providers: [{ ...known, name: `Name ${nth % 7}`, isActive }] })
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('KES', 'NGN', 'UGX'),
        fc.constantFrom(null, { to: 'USD', rate: 120 }, { to: 'EUR', rate: 130 }),
        fc.integer({ min: 0, max: 4 }),
      )
      .map(([code, peg, nth]) => async (world: World) => {
        const known = world.currencies.get(code)!
        await world.catalogue({ currencies: [{ ...known, peg, isActive: nth > 0 }] })
      }),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(1, 999, MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS, 8 * DAY_MS)
      .map((ms) => (world: World) => world.advance(ms)),
  },
)

const DATES = [0, 1, 2, 9]

/** Requests at a time. */
const question = fc
  .tuple(
    fc.nat(),
    fc.constantFrom(
      ['USD', 'KES'],
      ['USD', 'KES'],
      ['GBP', 'NGN'],
      ['USD', 'USDT'],
      ['KES', 'USD'],
    ),
    fc.constantFrom(...DATES),
  )
  .map(([pick, [from, to], daysAgo]) => (nowMs: number) => {
    const pair = `from=${from}&to=${to}`
    const date = iso(nowMs - daysAgo * DAY_MS).slice(0, 10)
    const all = [
      `/rates?${pair}`,
      `/rates?${pair}&offers=all&source_country=US&max_age=9d`,
      `/convert?${pair}&amount=200`,
      `/convert?${pair}&recipient_gets=5000&offers=all`,
      `/costs?source_country=US&target_country=KE&amount=200`,
      `/fetch-one?${pair}`,
      `/fetch-multi?from=USD&to=KES,NGN,USDT`,
      `/fetch-matrix?from=USD,GBP,EUR&to=KES,NGN`,
      `/fetch-many-to-one?from=USD,GBP&to=KES`,
      `/rates/history?${pair}&period=7d&limit=5`,
      `/rates/history?${pair}&period=90d&limit=3&offset=2&order=desc&withdrawn=true`,
      `/rates/history?${pair}&period=90d&limit=5&provider=retail-a&channel=internet`,
      `/rates/history?${pair}&period=90d&limit=4&offset=3`,
      `/time-series?${pair}&interval=PT1H&period=7d`,
      `/time-series?${pair}&interval=P1D&period=90d&ohlc=true`,
      `/historical?${pair}&date=${date}`,
      `/historical?${pair}&date=${date}&offers=all`,
      `/change?${pair}&period=1d`,
      `/change?${pair}&period=7d`,
    ]
    return all[pick % all.length]!
  })

const moment = fc.record({ event, questions: fc.array(question, { minLength: 1, maxLength: 3 }) })
export type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never

/** Events, each with the requests that are sent after it. */
export const historyOf = (events: number) =>
  fc.array(moment, { minLength: events, maxLength: events })

/** A response, and when it was given. */
export type Given = { readonly path: string; readonly atMs: number; readonly reply: Reply }

const BEFORE_ALL = /^Nothing had been recorded by /

type Reply = { readonly status: number; readonly body: object }

/** Compares an earlier response with the one that `known_at` gives for its time. */
export function expectSame({ path, atMs, reply }: Given, then: Reply): void {
  const hasNote = !BEFORE_ALL.test((then.body as { note?: string }).note ?? '')
  const [was, is] = [reply, then].map((one) => lasting(one, atMs, { hasNote }))
  expect([path, iso(atMs), ...is!]).toEqual([path, iso(atMs), ...was!])
}

/** A response without the fields that depend on the time of the request. */
function lasting({ status, body }: Reply, atMs: number, { hasNote }: { hasNote: boolean }) {
  const { timestamp, known_at, ...said } = body as Record<string, unknown>
  const { note, ...rest } = said
  expect([undefined, iso(atMs)]).toContain(known_at as string)
  return [status, JSON.stringify(hasNote ? said : rest)]
}
