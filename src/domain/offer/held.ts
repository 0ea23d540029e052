import { newestFirst, type Quote } from '~/domain/quote.ts'
import { isValidAt, lastMsOf, offerKey } from './terms.ts'

/** A string that identifies an offer within its corridor. */
export const heldKey = ({ providerId, offer }: Pick<Quote, 'providerId' | 'offer'>): string =>
  `${providerId}\n${offer === null ? '' : offerKey(offer)}`

/** Quotes of one corridor in force at a time: of each offer the newest still valid. */
export function heldAt<Q extends Quote>(quotes: readonly Q[], atMs: number): Q[] {
  const held = new Map<string, Q>()
  for (const quote of quotes) {
    if (!isValidAt(quote, atMs)) continue
    const key = heldKey(quote)
    const other = held.get(key)
    if (!other || newestFirst(quote, other) < 0) held.set(key, quote)
  }
  return [...held.values()]
}

/** Drops quotes whose offer has a newer one that lasts as long: they never hold. Newest first. */
export function lasting<Q extends Quote>(quotes: readonly Q[]): Q[] {
  const covered = new Map<string, number>()
  return quotes.toSorted(newestFirst).filter((quote) => {
    const key = heldKey(quote)
    const lastMs = lastMsOf(quote)
    if (lastMs <= (covered.get(key) ?? Number.NEGATIVE_INFINITY)) return false
    covered.set(key, lastMs)
    return true
  })
}
