import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { noState } from '~/domain/feed/state.ts'
import { freshnessAt, TIERS } from '~/domain/freshness.ts'
import { untried } from '~/domain/source/state.ts'
import { type Generation, Memory, type Publication } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { fewRates, quote } from '../support/quotes.ts'
import { BASE_MS, backs, clockSteps } from './histories.ts'

const LIMITS = { midMaxAgeMs: 72 * HOUR_MS, quoteMaxAgeMs: null, staleAfterMs: null }
const BANK = untried({
  id: 'a',
  ...{ currency: 'KES', timeZone: 'Africa/Nairobi', reach: 'all' },
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
  provider: { id: 'bank-a', name: 'a', region: 'Kenya', websiteUrl: 'https://bank.example' },
  ask: () => Promise.reject(new Error('not asked')),
})
const ACCOUNT = { id: 'acc', email: 'a@example.com', plan: 'free', role: 'member' } as const

/** Everything that a reader of this generation can see. */
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
  test('starts empty', () => {
    const { current } = new Memory()
    expect(current.catalogue.currencies).toEqual([])
    expect(current.quotes.lastUpdatedMs).toBeNull()
    expect(current.keys.keyCount).toBe(0)
    expect(current.references.size).toBe(0)
  })

  test('replaces states of feeds and banks by newer ones, and those of a clock that was ahead', () => {
    const memory = new Memory()
    const ranMs = (atMs: number) => {
      const sources = [{ ...BANK, triedMs: atMs }]
      memory.publish({ feeds: { ...noState, ranMs: atMs }, sources }, BASE_MS)
      const { current } = memory
      return [current.feeds.ranMs, current.sources[0]!.triedMs]
    }
    expect(ranMs(BASE_MS - 1)).toEqual([BASE_MS - 1, BASE_MS - 1])
    expect(ranMs(BASE_MS - 2)).toEqual([BASE_MS - 1, BASE_MS - 1])
    expect(ranMs(BASE_MS + HOUR_MS)).toEqual([BASE_MS + HOUR_MS, BASE_MS + HOUR_MS])
    expect(ranMs(BASE_MS)).toEqual([BASE_MS, BASE_MS])
  })

  test('serves nothing of a corridor that no load could have, and keeps what one had', () => {
    const memory = stocked()
    const missing = new Set(['USD/NGN'])
    const rates = () =>
      ['KES', 'NGN'].map((to) => [...(memory.current.quotes.book('USD', to)?.allQuotes() ?? [])])
    const both = ['KES', 'NGN'].map((to, id) => quote({ id, to }))
    memory.publish({ quotes: [both[0]!], missing }, BASE_MS)
    memory.publish({ quotes: both }, BASE_MS)
    expect(rates()).toEqual([[both[0]!], []])
    memory.publish({ quotes: both, missing: new Set() }, BASE_MS)
    memory.publish({ quotes: [], missing }, BASE_MS)
    memory.publish({ quotes: [quote({ id: 9, to: 'NGN', rate: 7 })] }, BASE_MS)
    expect(rates()[1]).toHaveLength(1)
    expect(rates()[1]![0]!.rate).toBe(7)
  })

  test('keeps the same object for a part that a publication leaves out', () => {
    const memory = stocked()
    const before = memory.current
    memory.publish({ quotes: [quote()] }, BASE_MS)
    expect(memory.current.catalogue).toBe(before.catalogue)
    expect(memory.current.references).toBe(before.references)
    expect(memory.current.keys).toBe(before.keys)
    expect(memory.current.quotes).not.toBe(before.quotes)
  })

  test('replaces the whole catalogue', () => {
    const memory = stocked()
    memory.publish({ catalogue: { currencies: CURRENCIES.slice(0, 1), providers: [] } }, BASE_MS)
    expect(memory.current.catalogue.currencies.map(({ code }) => code)).toEqual(['USD'])
    expect(memory.current.catalogue.providers).toEqual([])
  })

  test('has quotes once that are published twice', () => {
    const memory = stocked()
    memory.publish({ quotes: [quote()] }, BASE_MS)
    const { quotes } = memory.current
    memory.publish({ quotes: [quote()] }, BASE_MS)
    expect(memory.current.quotes).toBe(quotes)
  })

  test('shows all parts of one publication together', () => {
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

  test('changes nothing visible by pruning', () => {
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

  test('changes the past by a publication that switches something on or off, and announces it once', () => {
    const received: Publication[] = []
    const memory = new Memory((publication) => received.push(publication))
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    const activity = [{ providerId: 'retail-a', sinceMs: BASE_MS, isActive: true }]
    memory.publish({ catalogue }, BASE_MS)
    memory.publish({ catalogue: { ...catalogue, activity } }, BASE_MS)
    memory.publish({ catalogue: { ...catalogue, activity } }, BASE_MS)
    expect(received.map(({ isPastChanged = false }) => isPastChanged)).toEqual([false, true, false])
  })

  describe('the mids of days', () => {
    const reference = (id: number, atMs: number) => ({
      id,
      atMs,
      currency: 'KES',
      perUsd: 100 + id,
      source: 'feed',
    })
    const seen = (memory: Memory) =>
      new View(memory.current, freshnessAt('realtime', BASE_MS), LIMITS).corridor('USD', 'KES')
    const midsOf = (memory: Memory) =>
      seen(memory).quotes.map(({ midAtQuote }) => midAtQuote?.rate ?? null)
    const newest = (...references: ReturnType<typeof reference>[]) => {
      const memory = stocked()
      memory.publish({ references }, BASE_MS)
      return memory
    }
    const day = { currency: 'KES', atMs: BASE_MS - HOUR_MS }
    const earlier = { quotes: [quote({ atMs: day.atMs })] }

    test('has a mid at once for a quote from the time of the newest reference on', () => {
      const memory = newest(reference(1, BASE_MS))
      expect(memory.expect({ quotes: [quote({ atMs: BASE_MS })] })).toEqual([])
      memory.publish({ quotes: [quote({ atMs: BASE_MS })] }, BASE_MS)
      expect(midsOf(memory)).toEqual([101])
    })

    test('needs a lookup for an earlier quote, and serves it without a mid until then', () => {
      const memory = newest(reference(1, BASE_MS))
      expect(memory.expect(earlier)).toEqual([day])
      memory.publish(earlier, BASE_MS)
      expect(midsOf(memory)).toEqual([null])
      memory.learn([{ ...day, reference: reference(2, BASE_MS - 2 * HOUR_MS) }])
      expect(midsOf(memory)).toEqual([102])
      expect(memory.expect(earlier)).toEqual([])
    })

    test('needs lookups for known quotes if a currency has another peg', () => {
      const memory = newest({ ...reference(1, BASE_MS), currency: 'EUR' })
      memory.publish({ quotes: [quote({ atMs: day.atMs })] }, BASE_MS)
      memory.learn([{ ...day, reference: null }])
      const currencies = CURRENCIES.map((one) =>
        one.code === 'KES' ? { ...one, peg: { to: 'EUR', rate: 150 } } : one,
      )
      const probes = memory.expect({ catalogue: { currencies, providers: PROVIDERS } })
      expect(probes).toContainEqual({ ...day, currency: 'EUR' })
    })

    test('updates the mids after a reference for an earlier day', () => {
      const memory = newest(reference(1, BASE_MS))
      memory.publish(earlier, BASE_MS)
      memory.learn([{ ...day, reference: null }])
      const { basis } = new View(memory.current, freshnessAt('realtime', BASE_MS), LIMITS)
      const now = freshnessAt('realtime', BASE_MS)
      expect(basis.holds(memory.current, now)).toBe(true)
      memory.publish({ references: [reference(2, BASE_MS - 2 * HOUR_MS)] }, BASE_MS)
      expect(midsOf(memory)).toEqual([102])
      expect(basis.holds(memory.current, now)).toBe(false)
    })

    test('keeps a view after the quotes of other corridors', () => {
      const memory = newest(reference(1, BASE_MS))
      memory.publish({ quotes: [quote({ atMs: BASE_MS })] }, BASE_MS)
      const view = seen(memory)
      const other = { quotes: [quote({ id: 2, atMs: day.atMs, from: 'GBP' })] }
      const probes = memory.expect(other)
      memory.learn(probes.map((probe) => ({ ...probe, reference: null })))
      memory.publish(other, BASE_MS)
      expect(seen(memory)).toBe(view)
    })

    test('drops days that no quote needs any more, even if none are pruned', () => {
      const memory = newest(reference(1, BASE_MS))
      for (let id = 1; id <= 3000; id++)
        memory.publish({ quotes: [quote({ id, atMs: BASE_MS + id })] }, BASE_MS + id)
      expect(memory.current.days.size).toBeLessThan(1100)
      memory.prune(BASE_MS + 3000)
      expect(memory.current.days.size).toBe(memory.current.quotes.book('USD', 'KES')!.size)
    })
  })

  test("never changes a reader's generation, whatever is published and pruned later", () => {
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
