import { sendAmount } from '~/domain/price/send-amount.ts'
import type { Quote } from '~/domain/quote.ts'

/** How an amount lies to the amounts that an offer is for. */
export type AmountMatch = {
  readonly match: 'exact' | 'nearest'
  /** The amount that the offer's price is for: as asked, or the nearest that it covers. */
  readonly atAmount: number
  /** How many times one of the two is the other; 1 where the offer covers the amount. */
  readonly ratio: number
}

/** An amount to send under an offer, and how it lies to those that the offer is for. */
export type Sending = { readonly sent: number; readonly match: AmountMatch }

/** The match of an amount; an end that an offer does not name is open. */
export function matchOf({ offer }: Quote, amount: number): AmountMatch {
  const { amountMin, amountMax } = offer ?? OPEN
  if (amountMin !== null && amount < amountMin)
    return { match: 'nearest', atAmount: amountMin, ratio: amountMin / amount }
  if (amountMax !== null && amount > amountMax)
    return { match: 'nearest', atAmount: amountMax, ratio: amount / amountMax }
  return { match: 'exact', atAmount: amount, ratio: 1 }
}

const OPEN = { amountMin: null, amountMax: null }

/**
 * The least amount of the source currency of which at least `net` of the target currency arrives
 * under this offer; null where `sendAmount` has none.
 *
 * An offer from an amount on sends no less than that. A price surveyed at one amount says nothing
 * of what else can be sent, so it is taken for the nearest.
 */
export function sendingOf(quote: Quote, net: number, feeMid: number | null): Sending | null {
  const least = sendAmount(quote, net, feeMid)
  if (least === null) return null
  const { amountMin, amountMax } = quote.offer ?? OPEN
  const isBand = amountMin !== null && amountMin !== amountMax
  const sent = isBand ? Math.max(least, amountMin) : least
  return { sent, match: matchOf(quote, sent) }
}
