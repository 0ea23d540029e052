import type { Quote } from '~/domain/quote.ts'
import { newestFirst } from '~/domain/quote.ts'
import { isValidAt, offerKey } from './terms.ts'

/** A text that tells the offers of a corridor apart. */
export const heldKey = ({ providerId, offer }: Pick<Quote, 'providerId' | 'offer'>): string =>
  `${providerId}\n${offer === null ? '' : offerKey(offer)}`

/** What held at a moment among quotes of one corridor: of each offer the newest still valid. */
export function heldAt(quotes: readonly Quote[], atMs: number): Quote[] {
  const held = new Map<string, Quote>()
  for (const quote of quotes) {
    if (!isValidAt(quote, atMs)) continue
    const key = heldKey(quote)
    const other = held.get(key)
    if (!other || newestFirst(quote, other) < 0) held.set(key, quote)
  }
  return [...held.values()]
}
