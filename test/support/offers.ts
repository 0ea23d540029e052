import { offerId } from '~/domain/offer/id.ts'
import { type Offer, PLAIN } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { quote } from './quotes.ts'

/** An offer that says nothing but what a test cares about. */
export const offer = (more: Partial<Offer> = {}): Offer => ({ ...PLAIN, ...more })

/** A quote of `retail-a` in USD/KES under such an offer. */
export const offered = (said: Partial<Offer>, more: Partial<Quote> = {}): Quote => ({
  ...quote(more),
  offer: offer(said),
})

/** The id of a provider's plain offer in a corridor. */
export function plainOfferId(providerId: string, corridor = 'USD/KES'): string {
  const [from, to] = corridor.split('/') as [string, string]
  return offerId(quote({ providerId, from, to }))
}

/** An offer that says everything. */
export const FULL_OFFER: Offer = {
  sourceCountry: 'GB',
  targetCountry: 'KE',
  payIn: ['bank_account', 'debit_card'],
  payOut: ['mobile_money'],
  channel: 'internet',
  amountMin: 0.5,
  amountMax: 1200,
  service: 'Express',
  feePercent: 1.25,
  deliveryMinMs: 0,
  deliveryMaxMs: 3_600_000,
  validUntilMs: Date.parse('2030-01-01T00:00:00Z'),
}
