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
