import { describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, TIERS, type Tier } from '~/domain/freshness.ts'
import type { Reference } from '~/domain/mid.ts'
import { upToAge } from '~/domain/offer/selection.ts'
import { EMPTY_VIEW } from '~/memory/corridor-view.ts'
import { Memory, type Publication } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { quote } from '../support/quotes.ts'
import { BASE_MS } from './histories.ts'

const MID_MAX_AGE_MS = 72 * HOUR_MS
const at = (atMs: number, currency = 'KES', more: Partial<Reference> = {}): Reference => ({
  id: atMs,
  atMs,
  currency,
  perUsd: 129,
  source: 'feed',
  ...more,
})

function memoryWith(added: Publication, nowMs = BASE_MS): Memory {
  const memory = new Memory()
  memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS }, ...added }, nowMs)
  return memory
}

const viewAt = (nowMs: number, tier: Tier, ...references: Reference[]): View =>
  viewOf(memoryWith({ references }, nowMs), nowMs, tier)

const viewOf = (
  memory: Memory,
  nowMs = BASE_MS,
  tier: Tier = 'realtime',
  quoteSuspectPct: number | null = null,
): View =>
  new View(memory.current, freshnessAt(tier, nowMs), {
    midMaxAgeMs: MID_MAX_AGE_MS,
    quoteMaxAgeMs: null,
    staleAfterMs: null,
    quoteSuspectPct,
  })

test('a view lacks the prices of corridors that could not be loaded, and of no others', () => {
  const view = viewOf(memoryWith({ missing: new Set(['USD/NGN']) }))
  expect(view.lacks({ from: 'USD', to: 'NGN' })).toBe(true)
  expect(view.lacks({ from: 'USD', to: 'KES' })).toBe(false)
})

test('a view takes the newest reference for a day that is looked up, from its time on', () => {
  const view = viewAt(BASE_MS, 'realtime', at(BASE_MS))
  const midAt = (atMs: number) => view.dayMidsOf(quote({ atMs })).midAtQuote?.rate
  expect([midAt(BASE_MS - 1), midAt(BASE_MS), midAt(BASE_MS + 1)]).toEqual([undefined, 129, 129])
})

test('a quote without a mid of its day is suspect by the current mid', () => {
  const far = quote({ atMs: BASE_MS - 1, rate: 150 })
  const memory = memoryWith({ references: [at(BASE_MS)], quotes: [far] })
  const view = viewOf(memory, BASE_MS, 'realtime', 10)
  const [only] = view.corridor('USD', 'KES').offers
  expect([only?.midAtQuote ?? null, only?.suspect?.isOfDay]).toEqual([null, false])
  expect(view.suspicionOf(far, { midAtQuote: null, mid: { rate: 129 } })).toEqual(only!.suspect)
})

test('a provider that was active earlier is not active now', () => {
  const activity = [{ providerId: 'retail-a', sinceMs: BASE_MS - 10, isActive: false }]
  const providers = PROVIDERS.map((one) =>
    one.id === 'retail-a' ? { ...one, isActive: false } : one,
  )
  const view = viewOf(memoryWith({ catalogue: { currencies: CURRENCIES, providers, activity } }))
  const times = [BASE_MS - 11, BASE_MS - 10, BASE_MS]
  expect(times.map((ms) => view.wasActive('retail-a', ms))).toEqual([true, false, false])
})

describe('the basis of a view', () => {
  const expiring = quote({ atMs: BASE_MS, offer: offer({ validUntilMs: BASE_MS + 5 }) })
  const reads = [
    ['its quotes', (view: View) => view.corridor('USD', 'KES')],
    ['all of its quotes', (view: View) => view.allQuotes('USD', 'KES')],
  ] as const

  test.each(reads)('ends with the corridor of which it read %s', (_, read) => {
    const memory = memoryWith({ quotes: [expiring] })
    const view = viewOf(memory)
    read(view)
    memory.publish({ quotes: [quote({ id: 2, atMs: BASE_MS, from: 'GBP' })] }, BASE_MS)
    expect(view.basis.holds(memory.current, view.freshness)).toBe(true)
    memory.publish({ quotes: [quote({ id: 3, atMs: BASE_MS + 1 })] }, BASE_MS)
    expect(view.basis.holds(memory.current, view.freshness)).toBe(false)
  })

  test.each(reads)('lasts as long as %s are valid', (_, read) => {
    const view = viewOf(memoryWith({ quotes: [expiring] }))
    read(view)
    expect(view.basis.untilMs).toBe(BASE_MS + 5)
  })
})

describe('View.mid', () => {
  test('is recent at exactly the greatest age, and gone a millisecond later', () => {
    const reference = at(BASE_MS)
    const nowMs = BASE_MS + MID_MAX_AGE_MS
    expect(viewAt(nowMs, 'realtime', reference).mid('USD', 'KES')?.rate).toBe(129)
    expect(viewAt(nowMs + 1, 'realtime', reference).mid('USD', 'KES')).toBeUndefined()
  })

  test('has the age of its older leg', () => {
    const nowMs = BASE_MS + MID_MAX_AGE_MS + 1
    const view = viewAt(nowMs, 'realtime', at(BASE_MS), at(nowMs, 'NGN'))
    expect(view.mid('USD', 'NGN')).toBeDefined()
    expect(view.mid('KES', 'NGN')).toBeUndefined()
  })

  test('includes at the hourly tier a reference of the very top of the hour, and none a millisecond later', () => {
    const nowMs = BASE_MS + 5
    expect(viewAt(nowMs, 'hourly', at(BASE_MS)).mid('USD', 'KES')).toBeDefined()
    expect(viewAt(nowMs, 'hourly', at(BASE_MS + 1)).mid('USD', 'KES')).toBeUndefined()
    expect(viewAt(nowMs, 'realtime', at(BASE_MS + 1)).mid('USD', 'KES')).toBeDefined()
  })

  test('keeps at the hourly tier the earlier reference while a newer one waits for the hour', () => {
    const references = [at(BASE_MS - 9, 'KES', { perUsd: 120 }), at(BASE_MS + 1)]
    const view = viewAt(BASE_MS + HOUR_MS - 1, 'hourly', ...references)
    expect(view.mid('USD', 'KES')).toEqual({
      ...{ rate: 120, source: 'feed', atMs: BASE_MS - 9 },
      ...{ basis: 'single', dispersionBps: null },
    })
    const next = viewAt(BASE_MS + HOUR_MS, 'hourly', ...references)
    expect(next.mid('USD', 'KES')?.rate).toBe(129)
  })

  test('is null with a stablecoin or an unknown currency', () => {
    const references = ['KES', 'USDT', 'XXX'].map((code) => at(BASE_MS, code))
    const view = viewAt(BASE_MS, 'realtime', ...references)
    for (const code of ['USDT', 'XXX']) {
      expect(view.mid('KES', code)).toBeUndefined()
      expect(view.mid(code, 'KES')).toBeUndefined()
      expect(view.isFiat(code)).toBe(false)
    }
    expect(view.isFiat('KES')).toBe(true)
  })

  test('exists for an inactive currency, for fees that are charged in it', () => {
    const references = ['KES', 'SLL'].map((code) => at(BASE_MS, code))
    expect(viewAt(BASE_MS, 'realtime', ...references).mid('SLL', 'KES')).toBeDefined()
  })
})

describe('View.corridor', () => {
  test('is empty without quotes', () => {
    expect(viewAt(BASE_MS, 'realtime').corridor('USD', 'KES')).toBe(EMPTY_VIEW)
  })

  test('keeps the cached view of other requests after one with an age of its own', () => {
    const memory = new Memory()
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    const quotes = [
      quote({ id: 1, atMs: BASE_MS - 5, rate: 2 }),
      quote({ id: 2, atMs: BASE_MS, rate: 1, providerId: 'retail-b' }),
    ]
    memory.publish({ catalogue, quotes }, BASE_MS)
    const seen = (tier: Tier, maxAgeMs: number | null = null) =>
      new View(memory.current, freshnessAt(tier, BASE_MS), {
        midMaxAgeMs: MID_MAX_AGE_MS,
        quoteMaxAgeMs: null,
        staleAfterMs: null,
      }).corridor('USD', 'KES', upToAge(maxAgeMs))
    for (const tier of TIERS) {
      const all = seen(tier)
      expect(seen(tier, 5)).toBe(all)
      expect(seen(tier, 4)).toMatchObject({
        quotes: [{ quote: { id: 2 }, spreadBps: 0 }],
        best: { quote: { id: 2 } },
        oldestMs: BASE_MS,
      })
      expect(seen(tier)).toBe(all)
    }
  })

  test('shows the new hour one millisecond past it although no job has run', () => {
    const memory = new Memory()
    const catalogue = { currencies: CURRENCIES, providers: PROVIDERS }
    const loadedMs = BASE_MS + 100
    const quotes = [
      quote({ id: 1, atMs: BASE_MS, rate: 1 }),
      quote({ id: 2, atMs: BASE_MS + 50, rate: 2 }),
    ]
    memory.publish({ catalogue, quotes }, loadedMs)
    const rateAt = (nowMs: number) =>
      new View(memory.current, freshnessAt('hourly', nowMs), {
        midMaxAgeMs: MID_MAX_AGE_MS,
        quoteMaxAgeMs: null,
        staleAfterMs: null,
      }).corridor('USD', 'KES').best?.quote.rate
    expect(rateAt(BASE_MS + HOUR_MS - 1)).toBe(1)
    expect(rateAt(BASE_MS + HOUR_MS)).toBe(2)
    expect(rateAt(BASE_MS + HOUR_MS + 1)).toBe(2)
    expect(rateAt(BASE_MS + HOUR_MS - 1)).toBe(1)
  })
})
