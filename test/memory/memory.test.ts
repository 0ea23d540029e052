import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, TIERS } from '~/domain/freshness.ts'
import { type Generation, Memory, type Publication } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { fewRates, quote } from '../support/quotes.ts'
import { BASE_MS, backs, clockSteps } from './histories.ts'

const LIMITS = { midMaxAgeMs: 72 * HOUR_MS, quoteMaxAgeMs: null }
const ACCOUNT = { id: 'acc', email: 'a@example.com', plan: 'free', role: 'member' } as const

/** All that a reader with this generation in hand can see. */
const everythingIn = (generation: Generation, nowMs: number): string =>
  JSON.stringify(
    TIERS.map((tier) => {
      const view = new View(generation, freshnessAt(tier, nowMs), LIMITS)
      return [
        view.corridor('USD', 'KES'),
        view.mid('USD', 'KES') ?? null,
        view.catalogue.providers,
        generation.quotes.lastUpdatedMs,
        generation.keys.keysOf('acc'),
        generation.keys.account('acc') ?? null,
      ]
    }),
  )

const stocked = () => {
  const memory = new Memory()
  memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, BASE_MS)
  return memory
}

describe('Memory', () => {
  test('begins with nothing', () => {
    const { current } = new Memory()
    expect(current.catalogue.currencies).toEqual([])
    expect(current.quotes.lastUpdatedMs).toBeNull()
    expect(current.keys.keyCount).toBe(0)
    expect(current.references.size).toBe(0)
  })

  test('a part that a publication leaves out stays the very same object', () => {
    const memory = stocked()
    const before = memory.current
    memory.publish({ quotes: [quote()] }, BASE_MS)
    expect(memory.current.catalogue).toBe(before.catalogue)
    expect(memory.current.references).toBe(before.references)
    expect(memory.current.keys).toBe(before.keys)
    expect(memory.current.quotes).not.toBe(before.quotes)
  })

  test('a catalogue replaces the one before, whole', () => {
    const memory = stocked()
    memory.publish({ catalogue: { currencies: CURRENCIES.slice(0, 1), providers: [] } }, BASE_MS)
    expect(memory.current.catalogue.currencies.map(({ code }) => code)).toEqual(['USD'])
    expect(memory.current.catalogue.providers).toEqual([])
  })

  test('quotes published twice are there once', () => {
    const memory = stocked()
    memory.publish({ quotes: [quote()] }, BASE_MS)
    const { quotes } = memory.current
    memory.publish({ quotes: [quote()] }, BASE_MS)
    expect(memory.current.quotes).toBe(quotes)
  })

  test('all parts of one publication appear together', () => {
    const memory = stocked()
    const before = memory.current
    memory.publish(
      {
        quotes: [quote({ atMs: BASE_MS }), quote({ id: 2, providerId: 'p2p-a', atMs: BASE_MS })],
        access: { accounts: [ACCOUNT], keys: [] },
      },
      BASE_MS,
    )
    const seen = (generation: Generation) => [
      new View(generation, freshnessAt('realtime', BASE_MS), LIMITS).corridor('USD', 'KES').quotes
        .length,
      generation.keys.account('acc')?.id ?? null,
    ]
    expect(seen(before)).toEqual([0, null])
    expect(seen(memory.current)).toEqual([2, 'acc'])
  })

  test('pruning changes nothing that anybody can see', () => {
    const memory = stocked()
    const nowMs = BASE_MS + 5 * HOUR_MS
    memory.publish({ quotes: [quote({ atMs: BASE_MS - 5 })] }, BASE_MS)
    memory.publish({ quotes: [quote({ id: 2, atMs: BASE_MS + 5 })] }, BASE_MS + 5)
    const before = everythingIn(memory.current, nowMs)
    expect(memory.current.quotes.book('USD', 'KES')?.size).toBe(2)
    memory.prune(nowMs)
    expect(memory.current.quotes.book('USD', 'KES')?.size).toBe(1)
    expect(everythingIn(memory.current, nowMs)).toBe(before)
  })

  test('a publication that switches something on or off changes the past, and is announced once', () => {
    const heard: Publication[] = []
    const memory = new Memory((publication) => heard.push(publication))
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    const activity = [{ providerId: 'retail-a', sinceMs: BASE_MS, isActive: true }]
    memory.publish({ catalogue }, BASE_MS)
    memory.publish({ catalogue: { ...catalogue, activity } }, BASE_MS)
    memory.publish({ catalogue: { ...catalogue, activity } }, BASE_MS)
    expect(heard.map(({ isPastChanged = false }) => isPastChanged)).toEqual([false, true, false])
  })

  test('a generation somebody holds never changes, whatever is published and pruned after', () => {
    const step = fc.record({
      stepMs: clockSteps,
      back: backs,
      rate: fewRates,
      providerId: fc.constantFrom('retail-a', 'retail-b', 'p2p-a', 'official-a'),
      what: fc.constantFrom('quote', 'reference', 'catalogue', 'access', 'prune'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (course) => {
        const memory = stocked()
        const held: { generation: Generation; nowMs: number; seen: string }[] = []
        let nowMs = BASE_MS
        course.forEach(({ stepMs, back, rate, providerId, what }, i) => {
          nowMs += stepMs
          const id = i + 1
          const atMs = nowMs - back
          if (what === 'quote')
            memory.publish({ quotes: [quote({ id, atMs, rate, providerId })] }, nowMs)
          if (what === 'reference') {
            const reference = { id, atMs, currency: 'KES', perUsd: rate, source: 'feed' }
            memory.publish({ references: [reference] }, nowMs)
          }
          if (what === 'catalogue')
            memory.publish(
              { catalogue: { currencies: CURRENCIES, providers: PROVIDERS.slice(i % 4) } },
              nowMs,
            )
          if (what === 'access') {
            const key = {
              id: 'k',
              accountId: 'acc',
              name: 'k',
              hash: 'h',
              lastFour: null,
              revokedMs: nowMs,
            }
            memory.publish({ access: { accounts: [ACCOUNT], keys: [key] } }, nowMs)
          }
          if (what === 'prune') memory.prune(nowMs)
          const generation = memory.current
          held.push({ generation, nowMs, seen: everythingIn(generation, nowMs) })
        })
        for (const reader of held)
          expect(everythingIn(reader.generation, reader.nowMs)).toBe(reader.seen)
      }),
    )
  })
})
