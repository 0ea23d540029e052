import { sendAmount } from '~/domain/price/send-amount.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Offer } from './terms.ts'

/**
 * Distance of an amount from those that an offer is for, as a factor of the nearest of them, beyond
 * which its price says nothing about that amount.
 */
export const RANGE_FACTOR = 2

export const AMOUNT_MATCHES = ['exact', 'nearest', 'out_of_range'] as const

export type AmountMatch = {
  /**
   * `exact` for an amount that the offer is for, `nearest` for one within `RANGE_FACTOR` of them,
   * and `out_of_range` for one further away.
   */
  readonly match: (typeof AMOUNT_MATCHES)[number]
  /** The amount that the offer's price is for: as asked, or the nearest that it covers. */
  readonly atAmount: number
  /** The ratio of the larger of the two to the smaller; 1 if the offer covers the amount. */
  readonly ratio: number
}

/** An amount to send under an offer, and how it lies to those that the offer is for. */
type Sending = {
  /** Null if the offer says nothing about an amount that would do. */
  readonly sent: number | null
  readonly match: AmountMatch
  /** Says whether less would do, but the offer is from this amount on. */
  readonly isMinimum: boolean
}

/** The match of an amount; an end that an offer does not name is open. */
export function matchOf({ offer }: Pick<Quote, 'offer'>, amount: number): AmountMatch {
  const least = leastOf(offer)
  const most = mostOf(offer)
  if (amount < least) return awayBy({ atAmount: least, least: amount, most: least })
  if (amount > most) return awayBy({ atAmount: most, least: most, most: amount })
  return { match: 'exact', atAmount: amount, ratio: 1 }
}

const leastOf = (offer: Offer | null): number => offer?.amountMin ?? 0
const mostOf = (offer: Offer | null): number => offer?.amountMax ?? Number.POSITIVE_INFINITY

type Away = { readonly atAmount: number; readonly least: number; readonly most: number }

/** Twice a double is exact, so that an amount at exactly the factor is still near. */
const awayBy = ({ atAmount, least, most }: Away): AmountMatch => ({
  match: most > RANGE_FACTOR * least ? 'out_of_range' : 'nearest',
  atAmount,
  ratio: most / least,
})

/** Amounts from `least` to `most`; infinite if an end is open. */
export type AmountRange = { readonly least: number; readonly most: number }

/**
 * The amounts about which any of these offers says something, ascending and apart from each other:
 * the amounts of each, widened by `RANGE_FACTOR`.
 */
export function knownRanges(quotes: readonly Pick<Quote, 'offer'>[]): AmountRange[] {
  const widened = quotes.map(({ offer }) => ({
    least: leastOf(offer) / RANGE_FACTOR,
    most: mostOf(offer) * RANGE_FACTOR,
  }))
  const ranges: AmountRange[] = []
  for (const { least, most } of widened.sort((a, b) => a.least - b.least)) {
    const last = ranges.at(-1)
    if (last && least <= last.most)
      ranges[ranges.length - 1] = { least: last.least, most: Math.max(last.most, most) }
    else ranges.push({ least, most })
  }
  return ranges
}

/** The ranges nearest to an amount, ascending; the first ones if the amount is null. */
export function nearestRanges(
  ranges: readonly AmountRange[],
  { amount, max }: { readonly amount: number | null; readonly max: number },
): AmountRange[] {
  const away = ({ least, most }: AmountRange): number =>
    amount === null ? least : Math.max(least / amount, amount / most)
  return ranges
    .toSorted((a, b) => away(a) - away(b))
    .slice(0, max)
    .sort((a, b) => a.least - b.least)
}

/**
 * The least amount of the source currency of which at least `net` of the target currency arrives
 * under this offer; null if `sendAmount` has none.
 *
 * An offer from an amount on sends no less than that. A price surveyed at one amount does not state
 * other amounts, so it counts for the nearest.
 */
export function sendingOf(quote: Quote, net: number, feeMid: number | null): Sending | null {
  const least = sendAmount(quote, net, feeMid)
  if (least === null) return null
  const from = leastOf(quote.offer)
  const isMinimum = least < from && from !== mostOf(quote.offer)
  const sent = isMinimum ? from : least
  const match = matchOf(quote, sent)
  return { sent: match.match === 'out_of_range' ? null : sent, match, isMinimum }
}
