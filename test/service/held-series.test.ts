import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { isExecutable, type Provider } from '~/domain/provider.ts'
import { View } from '~/memory/view.ts'
import { heldSeriesOf } from '~/service/held-series.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { lastRows } from '~/store/past/held-store.ts'
import { NOW_MS, observation, placeIn, scannedTables, stockedDatabase } from '../store/samples.ts'
import { PROVIDERS } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { pastOf } from '../support/past.ts'
import { PastWorld } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const HELD_MS = 3 * DAY_MS
const FROM_MS = NOW_MS - 40 * DAY_MS
const LIMITS = { midMaxAgeMs: DAY_MS, quoteMaxAgeMs: null, staleAfterMs: null }

let database: FreshDatabase
let world: PastWorld
let said: readonly Said[]

type Said = {
  readonly provider: Provider
  readonly rate: number
  readonly effectiveMs: number
  readonly channel?: 'agent' | null
  /** The time for which it is valid; for ever by default. */
  readonly validForMs?: number | null
}

const observations = fc.array(
  fc.record({
    provider: fc.constantFrom(...PROVIDERS),
    rate: fc.integer({ min: 1, max: 1000 }),
    channel: fc.constantFrom(null, 'agent' as const),
    validForMs: fc.constantFrom(null, HOUR_MS, 2 * DAY_MS, 30 * DAY_MS),
    effectiveMs: fc.oneof(
      fc.integer({ min: FROM_MS, max: NOW_MS }),
      fc.integer({ min: 0, max: 40 }).map((days) => NOW_MS - (NOW_MS % DAY_MS) - days * DAY_MS),
    ),
  }),
  { minLength: 50, maxLength: 80 },
)

/** The time when retail-a was switched off, and on again. */
const TURNS_MS = [NOW_MS - 20 * DAY_MS, NOW_MS - 10 * DAY_MS] as const

beforeAll(async () => {
  database = await stockedDatabase()
  const [rows] = fc.sample(observations, 1)
  const [other, own] = PROVIDERS.filter(({ rateType }) => rateType === 'p2p')
  said = [
    ...rows!,
    { provider: other!, rate: 2000, effectiveMs: NOW_MS - HOUR_MS },
    { provider: own!, rate: 1, effectiveMs: NOW_MS },
    { provider: own!, rate: 5000, effectiveMs: NOW_MS - 3 * DAY_MS, validForMs: 2.5 * HOUR_MS },
  ]
  await createObservationStore(database).record({
    observations: said.map(({ provider, rate, effectiveMs, channel = null, validForMs }) =>
      observation({
        providerId: provider.id,
        rateType: provider.rateType,
        rate: String(rate),
        effectiveMs,
        offer: offer({ channel, validUntilMs: validForMs ? effectiveMs + validForMs : null }),
      }),
    ),
    idempotency: null,
  })
  world = await new PastWorld(database, { at: new Date(NOW_MS).toISOString() }).start()
  await world.switch('retail-a', false, new Date(TURNS_MS[0]).toISOString())
  await world.switch('retail-a', true, new Date(TURNS_MS[1]).toISOString())
}, TEST_MS_MAX)
afterAll(() => database.close())

/** Rate in force at a time, looked up in all rates. */
function bestAt(ms: number, heldMs: number | null): number | null {
  const latest = new Map<string, Said>()
  for (const one of said) {
    const key = `${one.provider.id} ${one.channel ?? ''}`
    const earlier = latest.get(key)
    if (one.effectiveMs > ms || (earlier && earlier.effectiveMs > one.effectiveMs)) continue
    if (one.validForMs && one.effectiveMs + one.validForMs < ms) continue
    latest.set(key, one)
  }
  const isOff = (id: string) => id === 'retail-a' && ms >= TURNS_MS[0] && ms < TURNS_MS[1]
  const rates = [...latest.values()].flatMap(({ provider, rate, effectiveMs }) =>
    isExecutable(provider.rateType) &&
    !isOff(provider.id) &&
    (heldMs === null || ms - effectiveMs <= heldMs)
      ? [rate]
      : [],
  )
  return rates.length === 0 ? null : Math.max(...rates)
}

const QUESTION = { from: 'USD', to: 'KES', period: '30d', startMs: null, endMs: null } as const

type Asked = { heldMs: number | null; interval?: 'PT1H'; period?: '7d' }

const seriesOf = (tier: 'hourly' | 'realtime', more: Asked, nowMs = NOW_MS) =>
  heldSeriesOf(
    pastOf(database, world.windows),
    new View(world.memory.current, freshnessAt(tier, nowMs), LIMITS),
    { ...QUESTION, interval: 'P1D', ...more },
  )

describe('heldSeriesOf', () => {
  test.each([
    ['hourly', HELD_MS],
    ['hourly', null],
    ['realtime', HELD_MS],
    ['realtime', 1],
  ] as const)('has the price at the end of every day, %s, for %p ms', async (tier, heldMs) => {
    const cutoffMs = tier === 'hourly' ? Math.floor(NOW_MS / HOUR_MS) * HOUR_MS : NOW_MS
    const { points } = await seriesOf(tier, { heldMs })
    expect(points).toHaveLength(31)
    for (const { startMs, standing, best } of points) {
      const lastMs = Math.min(startMs + DAY_MS - 1, cutoffMs)
      const day = new Date(startMs).toISOString().slice(0, 10)
      expect([day, standing]).toEqual([day, bestAt(lastMs, heldMs) ?? best])
    }
  })

  test('has the price at the end of every hour, although most hours have no observation', async () => {
    const asked = { heldMs: null, interval: 'PT1H', period: '7d' } as const
    const { points } = await seriesOf('realtime', asked)
    expect(points.filter(({ samples }) => samples === 0).length).toBeGreaterThan(100)
    for (const { startMs, standing, best } of points) {
      const lastMs = Math.min(startMs + HOUR_MS - 1, NOW_MS)
      expect([startMs, standing]).toEqual([startMs, bestAt(lastMs, null) ?? best])
    }
  })

  test('has a price from before the window, until it is too old', async () => {
    const nowMs = NOW_MS + 60 * DAY_MS
    const { points } = await seriesOf('realtime', { heldMs: 45 * DAY_MS }, nowMs)
    const stood = points.map(({ standing }) => standing !== null)
    expect(stood.indexOf(true)).toBe(0)
    expect(stood.at(-1)).toBe(false)
    expect(points.map(({ standing }) => standing)).toEqual(
      points.map(({ startMs }) => bestAt(Math.min(startMs + DAY_MS - 1, nowMs), 45 * DAY_MS)),
    )
  })

  test('reads the table by index alone', async () => {
    const stretches = [{ fromMs: FROM_MS, beforeMs: NOW_MS, lastMs: NOW_MS - 1 }]
    const { from, to } = QUESTION
    const place = await placeIn(database, { from, to })
    const statement = lastRows(database, place, { stretches, firstMs: FROM_MS })
    expect(await scannedTables(database, statement)).not.toContain('early')
  })
})
