import { beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { ANYWHERE, LiveMemory } from '~/memory/live/live.ts'
import { Passing } from '~/memory/live/passing.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { quote } from '../../support/quotes.ts'
import { LIMITS } from '../../support/replica.ts'
import { BASE_MS } from '../histories.ts'

const STALE_MS = LIMITS.staleAfterMs!
const KES = { from: 'USD', to: 'KES' }
const NGN = { from: 'USD', to: 'NGN' }

let served: Memory
let live: LiveMemory
let passing: Passing

const refer = (currency: string, atMs: number, id: number) =>
  served.publish({ references: [{ id, currency, atMs, perUsd: 130, source: 'feed' }] }, BASE_MS)

/** Milliseconds from the base to the last time that shows nothing new, or null for none. */
function lastMs(...afterMs: number[]): number | null {
  const due = afterMs.filter((ms) => passing.isDue(BASE_MS + ms))
  return due.length === 0 ? null : due[0]! - 1
}

beforeEach(() => {
  served = new Memory()
  served.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, BASE_MS)
  served.publish({ quotes: [quote({ ...KES, atMs: BASE_MS })] }, BASE_MS)
  live = new LiveMemory(served)
  live.begin({ position: 1, atMs: BASE_MS, hourMs: null })
  passing = new Passing(live, LIMITS)
})

describe('Passing.isDue', () => {
  test('is false while nothing is watched, and of corridors that are not', () => {
    expect(passing.isDue(BASE_MS + 100 * STALE_MS)).toBe(false)
    live.watch(NGN)
    expect(passing.isDue(BASE_MS + 100 * STALE_MS)).toBe(false)
  })

  test.each([
    ['the corridor', KES],
    ['any', ANYWHERE],
  ] as const)('is true from when a price becomes stale, if %s is watched', (_, watched) => {
    const unwatch = live.watch(watched)
    expect(lastMs(STALE_MS, STALE_MS + 1)).toBe(STALE_MS)
    unwatch()
    expect(passing.isDue(BASE_MS + STALE_MS + 1)).toBe(false)
  })

  test('is true from when the mid of a watched pair without prices is too old', () => {
    refer('NGN', BASE_MS - 1, 1)
    live.watch(NGN)
    const untilMs = LIMITS.midMaxAgeMs - 1
    expect(lastMs(untilMs, untilMs + 1)).toBe(untilMs)
  })

  test('is true from when the mid is too old of a watched pair whose price is stale already', async () => {
    refer('KES', BASE_MS, 1)
    live.watch(KES)
    const atMs = BASE_MS + STALE_MS + 1
    await live.apply({ position: 2, kind: 'tick', atMs }, { referencesAt: async () => [] })
    expect(lastMs(STALE_MS + HOUR_MS, LIMITS.midMaxAgeMs, LIMITS.midMaxAgeMs + 1)).toBe(
      LIMITS.midMaxAgeMs,
    )
    refer('KES', BASE_MS + HOUR_MS, 2)
    expect(passing.isDue(BASE_MS + LIMITS.midMaxAgeMs + 1)).toBe(false)
  })
})
