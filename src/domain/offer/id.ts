import { createHash } from 'node:crypto'
import type { Quote } from '~/domain/quote.ts'
import { offerKey, PLAIN } from './terms.ts'

const LENGTH = 12

/** The id of an offer: 12 hexadecimal digits, the same on every installation and for each quote. */
export function offerId({
  providerId,
  from,
  to,
  offer,
}: Pick<Quote, 'providerId' | 'from' | 'to' | 'offer'>): string {
  const text = JSON.stringify([providerId, from, to, offerKey(offer ?? PLAIN)])
  return createHash('sha256').update(text).digest('hex').slice(0, LENGTH)
}
