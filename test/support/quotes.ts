import fc from 'fast-check'
import { RATE_TYPES } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'

/** A quote of `retail-a` in USD/KES, with the fields that a test sets. */
export function quote(more: Partial<Quote> = {}): Quote {
  return {
    id: 1,
    atMs: Date.parse('2026-03-05T14:00:00.000Z'),
    providerId: 'retail-a',
    from: 'USD',
    to: 'KES',
    rate: 129.5,
    fee: null,
    feeCurrency: null,
    rateType: 'retail',
    evidence: 'observed',
    offer: null,
    ...more,
  }
}

export const rateTypes = fc.constantFrom(...RATE_TYPES)

/** Rates as providers write them: up to 8 significant digits, over 15 orders of magnitude. */
export const rates = fc
  .tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: -10, max: 5 }))
  .map(([digits, exponent]) => Number(`${digits}e${exponent}`))

/** Few different rates, so that ties are common. */
export const fewRates = fc.integer({ min: 1, max: 4 }).map((step) => 100 + step / 10)
