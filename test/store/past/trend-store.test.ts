import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { TrendStore } from '~/service/trends.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createTrendStore } from '~/store/past/trend-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { switchProvider } from '../../support/activity.ts'
import { PROVIDERS } from '../../support/catalogue.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { NOW_MS, observation, stockedDatabase } from '../samples.ts'

const CUTOFF_MS = hourStartMs(NOW_MS)
const FROM_MS = Math.floor(CUTOFF_MS / DAY_MS) * DAY_MS - 29 * DAY_MS
const WINDOW = { fromMs: FROM_MS, beforeMs: CUTOFF_MS + 1, days: 30 }

let database: FreshDatabase
let store: TrendStore

beforeAll(async () => {
  database = await stockedDatabase()
  store = createTrendStore(database)
}, TEST_MS_MAX)
afterAll(() => database.close())

const targets = ['KES', 'NGN', 'UGX', 'XOF', 'ZAR']

const observations = fc.array(
  fc.record({
    provider: fc.constantFrom(...PROVIDERS),
    to: fc.constantFrom(...targets),
    rate: fc.integer({ min: 1, max: 1_000_000 }),
    effectiveMs: fc.oneof(
      fc.integer({ min: FROM_MS - DAY_MS, max: NOW_MS }),
      fc.constantFrom(FROM_MS - 1, FROM_MS, FROM_MS + DAY_MS, CUTOFF_MS, CUTOFF_MS + 1),
    ),
  }),
  { minLength: 60, maxLength: 100 },
)

describe('bestByDay', () => {
  test('is the highest executable rate of each corridor and day up to the cutoff', async () => {
    const [rows] = fc.sample(observations, 1)
    const turnsMs = [FROM_MS + 10 * DAY_MS, FROM_MS + 20 * DAY_MS, CUTOFF_MS]
    for (const [i, atMs] of turnsMs.entries())
      await switchProvider(database, { providerId: 'retail-a', isActive: i === 1, atMs })
    const isOff = (id: string, ms: number) =>
      id === 'retail-a' && ((ms >= turnsMs[0]! && ms < turnsMs[1]!) || ms >= turnsMs[2]!)
    await createObservationStore(database).record({
      observations: rows!.map(({ provider, to, rate, effectiveMs }) =>
        observation({
          providerId: provider.id,
          rateType: provider.rateType,
          to,
          rate: String(rate),
          effectiveMs,
        }),
      ),
      idempotency: null,
    })
    const keyOf = ({ provider, to, effectiveMs }: (typeof rows & object)[number]) =>
      `${provider.id} ${to} ${effectiveMs}`
    const applying = new Map(rows!.map((row) => [keyOf(row), row])).values()
    const best = new Map<string, number>()
    for (const { provider, to, rate, effectiveMs } of applying) {
      const isSeen = effectiveMs >= FROM_MS && effectiveMs <= CUTOFF_MS
      if (!isSeen || !isExecutable(provider.rateType)) continue
      if (isOff(provider.id, effectiveMs)) continue
      const name = `USD/${to} ${Math.floor((effectiveMs - FROM_MS) / DAY_MS)}`
      best.set(name, Math.max(rate, best.get(name) ?? 0))
    }
    const found = await store.bestByDay(WINDOW)
    const named = found.map(({ from, to, day, best }): [string, number] => [
      `${from}/${to} ${day}`,
      best,
    ])
    expect(new Map(named)).toEqual(best)
    expect(found).toHaveLength(best.size)
  })
})

describe('worthByDay', () => {
  test('is the last value by the end of each day, carried forward from before', async () => {
    const references = createReferenceStore(database)
    const say = (fetchedMs: number, perUsd: string) =>
      references.append({ source: 'feed', fetchedMs, rates: [{ currency: 'KES', perUsd }] })
    await say(FROM_MS - 10 * DAY_MS, '100')
    await say(FROM_MS + 3 * DAY_MS + 5, '103')
    await say(FROM_MS + 4 * DAY_MS, '104')
    await say(CUTOFF_MS, '129')
    await say(CUTOFF_MS + 1, '130')
    const found = await store.worthByDay(['KES', 'NGN'], WINDOW)
    expect(found.every(({ currency }) => currency === 'KES')).toBe(true)
    const byDay = new Map(found.map(({ day, perUsd }) => [day, perUsd]))
    expect([0, 2, 3, 4, 28, 29].map((day) => byDay.get(day))).toEqual([
      100, 100, 103, 104, 104, 129,
    ])
    expect(found).toHaveLength(30)
  })

  test('of the dollar is 1 from the first fetch of any feed on', async () => {
    const early = { ...WINDOW, fromMs: FROM_MS - 20 * DAY_MS }
    const days = (await store.worthByDay(['USD'], early)).map(({ day, perUsd }) => [day, perUsd])
    expect(days.sort(([a], [b]) => a! - b!)).toEqual(
      Array.from({ length: 20 }, (_, i) => [10 + i, 1]),
    )
  })

  test('is empty without currencies', async () => {
    expect(await store.worthByDay([], WINDOW)).toEqual([])
  })
})
