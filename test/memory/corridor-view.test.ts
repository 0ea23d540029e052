import { describe, expect, test } from 'bun:test'
import { NO_FILTERS, type OfferFilters } from '~/domain/offer/filter.ts'
import { UNSELECTED } from '~/domain/offer/selection.ts'
import type { Quote } from '~/domain/quote.ts'
import { corridorView, EMPTY_VIEW, selectedView } from '~/memory/corridor-view.ts'
import { provider } from '../support/catalogue.ts'
import { offer } from '../support/offers.ts'
import { quote } from '../support/quotes.ts'

const STALE_BEFORE_MS = 7

const seen = (...quotes: Partial<Quote>[]) =>
  corridorView(
    quotes.map((more, i) => {
      const own = quote({ providerId: `provider-${i}`, ...more })
      const mids = { midAtQuote: null, feeMidAtQuote: null }
      return { quote: own, provider: provider(own.providerId), suspect: null, ...mids }
    }),
    STALE_BEFORE_MS,
  )

describe('corridorView', () => {
  test('ranks by kind, then rate, each with its provider and its spread within its kind', () => {
    const view = seen(
      { providerId: 'o', rateType: 'official', rate: 500 },
      { providerId: 'low', rate: 99 },
      { providerId: 'bank', rateType: 'interbank', rate: 300 },
      { providerId: 'top', rate: 100 },
    )
    const rows = view.quotes.map((ranked) => [ranked.provider.id, ranked.spreadBps])
    expect(rows).toEqual([
      ['top', 0],
      ['low', 100],
      ['bank', 0],
      ['o', 0],
    ])
  })

  test('takes the best executable quote of any kind as the best', () => {
    const view = seen(
      { providerId: 'o', rateType: 'official', rate: 500 },
      { providerId: 'bank', rateType: 'interbank', rate: 300 },
      { providerId: 'top', rate: 100 },
    )
    expect(view.best?.provider.id).toBe('bank')
  })

  test('leaves official and parallel out of the mean spread', () => {
    const view = seen(
      { rate: 100 },
      { rate: 99 },
      { rate: 97, rateType: 'p2p' },
      { rate: 100, rateType: 'official' },
      { rate: 50, rateType: 'official' },
      { rate: 100, rateType: 'parallel' },
      { rate: 50, rateType: 'parallel' },
    )
    expect(view.avgSpreadBps).toBeCloseTo(100 / 3, 9)
  })

  test('has no best and no mean spread if only official and parallel are quoted', () => {
    const view = seen({ rateType: 'official', rate: 1 }, { rateType: 'parallel', rate: 2 })
    expect(view.quotes).toHaveLength(2)
    expect(view.best).toBeNull()
    expect(view.avgSpreadBps).toBeNull()
  })

  test('takes the newest quote of any kind as the last update', () => {
    const view = seen({ atMs: 5 }, { atMs: 9, rateType: 'official' }, { atMs: 7 })
    expect(view.lastUpdatedMs).toBe(9)
  })

  test('marks older quotes as stale, and has the oldest of all and of the rest', () => {
    const view = seen({ atMs: 6, rate: 3 }, { atMs: 9, rate: 2 }, { atMs: 7, rate: 1 })
    expect(view.quotes.map(({ isStale }) => isStale)).toEqual([true, false, false])
    expect(view.best?.isStale).toBe(true)
    expect([view.oldestMs, view.oldestFreshMs]).toEqual([6, 7])
    expect(seen({ atMs: 6 }).oldestFreshMs).toBe(Number.POSITIVE_INFINITY)
  })

  test('shows one offer of each provider: a current one, the best rate, the smallest fee', () => {
    const slow = { offer: offer({ service: 'slow' }) }
    const view = seen(
      { id: 1, providerId: 'a', rate: 9, atMs: 6 },
      { id: 2, providerId: 'a', rate: 3, atMs: 8, fee: 2, feeCurrency: 'USD', ...slow },
      { id: 3, providerId: 'a', rate: 3, atMs: 7, fee: 1, feeCurrency: 'USD' },
      { id: 4, providerId: 'b', rate: 4, atMs: 9 },
    )
    expect(view.quotes.map((one) => [one.quote.id, one.spreadBps])).toEqual([
      [4, 0],
      [3, 2500],
    ])
    expect(view.offers.map((one) => one.quote.id)).toEqual([1, 2, 3, 4])
    expect(view.offers[2]).toBe(view.quotes[1]!)
    expect(view.avgSpreadBps).toBe(1250)
    expect([view.lastUpdatedMs, view.oldestMs, view.oldestFreshMs]).toEqual([9, 6, 7])
  })

  test('ends with the first of all its offers', () => {
    const until = (validUntilMs: number) => ({ offer: offer({ validUntilMs }) })
    expect(seen({ rate: 1, ...until(90) }, { rate: 2, ...until(99) }, { rate: 3 }).lastMs).toBe(90)
  })

  test('is empty without quotes', () => {
    expect(corridorView([], STALE_BEFORE_MS)).toBe(EMPTY_VIEW)
    expect(EMPTY_VIEW).toEqual({
      quotes: [],
      offers: [],
      best: null,
      lastUpdatedMs: null,
      oldestMs: Number.POSITIVE_INFINITY,
      oldestFreshMs: Number.POSITIVE_INFINITY,
      lastMs: Number.POSITIVE_INFINITY,
      avgSpreadBps: null,
    })
  })
})

describe('selectedView', () => {
  const ALWAYS_MS = Number.NEGATIVE_INFINITY
  const filtered = (more: Partial<OfferFilters>) => ({
    ...UNSELECTED,
    filters: { ...NO_FILTERS, ...more },
  })
  const from = (sourceCountry: string, more: Partial<Quote>): Partial<Quote> => ({
    ...more,
    offer: offer({ sourceCountry }),
  })
  const view = seen(
    from('GB', { id: 1, providerId: 'a', rate: 5, atMs: 8 }),
    from('IE', { id: 2, providerId: 'a', rate: 9, atMs: 9 }),
    { id: 3, providerId: 'b', rate: 6, atMs: 7 },
    from('FR', { id: 4, providerId: 'c', rate: 7, atMs: 7 }),
  )
  const idsOf = (quotes: typeof view.quotes) => quotes.map((one) => one.quote.id)

  test('leaves out offers that contradict the filters, and puts unspecified ones last, marked', () => {
    const british = selectedView(view, filtered({ sourceCountry: 'GB' }), ALWAYS_MS)
    expect(british.quotes.map((one) => [one.quote.id, one.unspecified])).toEqual([
      [1, []],
      [3, ['sourceCountry']],
    ])
    expect(british.best?.quote.id).toBe(1)
    expect(british.quotes.map(({ spreadBps }) => Math.round(spreadBps))).toEqual([1667, 0])
    expect(british.offers).toBe(british.quotes)
  })

  test('takes an unspecified offer as the best if there is no other', () => {
    const german = selectedView(view, filtered({ sourceCountry: 'DE' }), ALWAYS_MS)
    expect(idsOf(german.quotes)).toEqual([3])
    expect(german.best?.quote.id).toBe(3)
  })

  test('lists every offer on request', () => {
    const every = selectedView(view, { ...UNSELECTED, isEvery: true }, ALWAYS_MS)
    expect(idsOf(every.quotes)).toEqual([2, 4, 3, 1])
  })

  test('chooses another offer if the best is too old, and none if all are', () => {
    expect(idsOf(view.quotes)).toEqual([2, 4, 3])
    expect(idsOf(selectedView(view, UNSELECTED, 8).quotes)).toEqual([2])
    const british = filtered({ sourceCountry: 'GB' })
    expect(idsOf(selectedView(view, british, 8).quotes)).toEqual([1])
    expect(selectedView(view, british, 9)).toBe(EMPTY_VIEW)
  })

  test('is the same view if the filters change nothing', () => {
    expect(selectedView(view, UNSELECTED, 7)).toBe(view)
    expect(selectedView(view, { ...UNSELECTED, filters: { ...NO_FILTERS } }, 7)).toBe(view)
  })
})
