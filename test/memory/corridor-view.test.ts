import { describe, expect, test } from 'bun:test'
import type { Quote } from '~/domain/quote.ts'
import { corridorView, EMPTY_VIEW } from '~/memory/corridor-view.ts'
import { provider } from '../support/catalogue.ts'
import { quote } from '../support/quotes.ts'

const STALE_BEFORE_MS = 7

const seen = (...quotes: Partial<Quote>[]) =>
  corridorView(
    quotes.map((more) => {
      const own = quote(more)
      const mids = { midAtQuote: null, feeMidAtQuote: null }
      return { quote: own, provider: provider(own.providerId), ...mids }
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

  test('the best is the best executable quote, of whatever kind', () => {
    const view = seen(
      { providerId: 'o', rateType: 'official', rate: 500 },
      { providerId: 'bank', rateType: 'interbank', rate: 300 },
      { providerId: 'top', rate: 100 },
    )
    expect(view.best?.provider.id).toBe('bank')
  })

  test('the mean spread leaves official and parallel out', () => {
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

  test('there is no best and no mean spread if only official and parallel are quoted', () => {
    const view = seen({ rateType: 'official', rate: 1 }, { rateType: 'parallel', rate: 2 })
    expect(view.quotes).toHaveLength(2)
    expect(view.best).toBeNull()
    expect(view.avgSpreadBps).toBeNull()
  })

  test('the last update is that of the newest quote, of any kind', () => {
    const view = seen({ atMs: 5 }, { atMs: 9, rateType: 'official' }, { atMs: 7 })
    expect(view.lastUpdatedMs).toBe(9)
  })

  test('what is from before a moment is stale, and the oldest of all and of the rest are known', () => {
    const view = seen({ atMs: 6, rate: 3 }, { atMs: 9, rate: 2 }, { atMs: 7, rate: 1 })
    expect(view.quotes.map(({ isStale }) => isStale)).toEqual([true, false, false])
    expect(view.best?.isStale).toBe(true)
    expect([view.oldestMs, view.oldestFreshMs]).toEqual([6, 7])
    expect(seen({ atMs: 6 }).oldestFreshMs).toBe(Number.POSITIVE_INFINITY)
  })

  test('is an empty view without quotes', () => {
    expect(corridorView([], STALE_BEFORE_MS)).toBe(EMPTY_VIEW)
    expect(EMPTY_VIEW).toEqual({
      quotes: [],
      best: null,
      lastUpdatedMs: null,
      oldestMs: Number.POSITIVE_INFINITY,
      oldestFreshMs: Number.POSITIVE_INFINITY,
      avgSpreadBps: null,
    })
  })
})
