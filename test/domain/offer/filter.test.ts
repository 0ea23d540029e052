import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import {
  askedOf,
  isUnfiltered,
  NO_FILTERS,
  type OfferFilters,
  unspecifiedOf,
} from '~/domain/offer/filter.ts'
import { isPlainSelection, UNSELECTED, upToAge } from '~/domain/offer/selection.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { offered } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'

const CASES: readonly [
  asked: Partial<OfferFilters>,
  fits: Partial<Offer>,
  other: Partial<Offer>,
][] = [
  [{ sourceCountry: 'GB' }, { sourceCountry: 'GB' }, { sourceCountry: 'IE' }],
  [{ targetCountry: 'KE' }, { targetCountry: 'KE' }, { targetCountry: 'UG' }],
  [{ payIn: ['cash', 'debit_card'] }, { payIn: ['debit_card'] }, { payIn: ['credit_card'] }],
  [{ payOut: ['cash'] }, { payOut: ['mobile_money', 'cash'] }, { payOut: ['bank_account'] }],
  [{ channel: ['agent', 'internet'] }, { channel: 'internet' }, { channel: 'bank_branch' }],
  [{ deliveryMaxMs: HOUR_MS }, { deliveryMaxMs: HOUR_MS }, { deliveryMinMs: HOUR_MS + 1 }],
]

describe('unspecifiedOf', () => {
  test.each(CASES)('%p accepts an offer with that field, and none with another value', (...of) => {
    const [asked, fits, other] = of
    const filters = { ...NO_FILTERS, ...asked }
    expect(unspecifiedOf({ quote: offered(fits) }, filters)).toEqual([])
    expect(unspecifiedOf({ quote: offered(other) }, filters)).toBeNull()
    expect(unspecifiedOf({ quote: quote() }, filters)).toEqual(askedOf(filters))
  })

  test("a provider's transfer time counts if the offer has no time", () => {
    const within = (deliveryMaxMs: number, said: Partial<Offer>, transferTime: string | null) =>
      unspecifiedOf(
        { quote: offered(said), provider: { transferTime } },
        { ...NO_FILTERS, deliveryMaxMs },
      )
    expect(within(DAY_MS, {}, 'same day')).toEqual([])
    expect(within(HOUR_MS, {}, 'same day')).toBeNull()
    expect(within(HOUR_MS, { deliveryMaxMs: HOUR_MS }, 'same day')).toEqual([])
    expect(within(HOUR_MS, {}, 'varies')).toEqual(['deliveryMaxMs'])
    expect(within(HOUR_MS, {}, null)).toEqual(['deliveryMaxMs'])
  })

  test("a provider's transfer time does not count for countries", () => {
    const asked = { ...NO_FILTERS, targetCountry: 'KE' }
    const one = { quote: quote(), provider: { transferTime: 'same day' } }
    expect(unspecifiedOf(one, asked)).toEqual(['targetCountry'])
  })
})

describe('askedOf', () => {
  test('names the filters that are set, in the order of responses', () => {
    const asked = { ...NO_FILTERS, channel: ['agent'], sourceCountry: 'GB' } as const
    expect(askedOf(asked)).toEqual(['sourceCountry', 'channel'])
    expect(askedOf(NO_FILTERS)).toEqual([])
  })
})

describe('isPlainSelection', () => {
  test('is true if one offer of each provider is taken, whatever its fields', () => {
    expect(isUnfiltered({ ...NO_FILTERS })).toBe(true)
    expect(isPlainSelection(UNSELECTED)).toBe(true)
    expect(isPlainSelection(upToAge(DAY_MS))).toBe(true)
    expect(isPlainSelection({ ...UNSELECTED, filters: { ...NO_FILTERS } })).toBe(true)
    expect(isPlainSelection({ ...UNSELECTED, isEvery: true })).toBe(false)
    for (const [asked] of CASES)
      expect(isPlainSelection({ ...UNSELECTED, filters: { ...NO_FILTERS, ...asked } })).toBe(false)
  })
})
