import { feeInTarget, isCancelled, netConverted } from '~/domain/convert.ts'
import { type AmountMatch, RANGE_FACTOR } from '~/domain/offer/band.ts'
import { feePercentOf } from '~/domain/offer/fee.ts'
import { feeInSource, marginPct } from '~/domain/price/cost.ts'
import { isNearHalf, roundAmount, roundPercent } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { type FeeMids, feeMidOf } from '~/service/convert.ts'

/** A rank below every net amount, for a quote whose fee cannot be priced. */
export const NO_NET = Number.NEGATIVE_INFINITY

/** Relation of an amount to those that an offer is for; further below or above than near is far. */
export const EXACT = 0
const BELOW = 1
export const FAR = 3
const ABOVE = 2
const FAR_BELOW = 3
const FAR_ABOVE = 4
/** The number of entries. */
export const MATCHES = 5

/** Numbers of quotes side by side: reaching for many scattered objects costs more than sums. */
export class ConvertFigures {
  readonly rates: Float64Array
  /** Fees in the target currency; NaN if a fee cannot be priced. */
  readonly fees: Float64Array
  /** Charge on top of the fee, in percent of the amount and as a part of it. */
  readonly percents: Float64Array
  readonly shares: Float64Array
  /** Fees in the source currency at the mids of the quote's day; NaN if there is no cost. */
  readonly dayFees: Float64Array
  /** Margins in percent against the mid of the quote's day, as shown. */
  readonly margins: Float64Array
  /** The amounts that each offer is for; infinite if it does not name an end. */
  readonly least: Float64Array
  readonly most: Float64Array
  /** Says whether any offer names such an end. */
  readonly isBanded: boolean
  readonly #quotes: readonly RankedQuote[]
  readonly #feeMids: FeeMids

  constructor(quotes: readonly RankedQuote[], feeMids: FeeMids) {
    const each = (of: (ranked: RankedQuote) => number | null): Float64Array =>
      Float64Array.from(quotes, (ranked) => of(ranked) ?? Number.NaN)
    this.#quotes = quotes
    this.#feeMids = feeMids
    this.rates = each(({ quote }) => quote.rate)
    this.percents = each(({ quote }) => feePercentOf(quote))
    this.shares = this.percents.map((percent) => percent / 100)
    this.dayFees = each(dayFeeOf)
    this.margins = each(
      ({ quote, midAtQuote }) => midAtQuote && roundPercent(marginPct(quote.rate, midAtQuote.rate)),
    )
    this.fees = each(({ quote }) => feeInTarget(quote, feeMidOf(feeMids, quote)))
    this.least = each(({ quote }) => quote.offer?.amountMin ?? Number.NEGATIVE_INFINITY)
    this.most = each(({ quote }) => quote.offer?.amountMax ?? Number.POSITIVE_INFINITY)
    this.isBanded = this.least.some(Number.isFinite) || this.most.some(Number.isFinite)
  }

  /** Reports whether an amount has a net one, which needs a fee that can be priced. */
  hasNet(i: number): boolean {
    return !Number.isNaN(this.fees[i]!)
  }

  /** Net amount of an amount, as it is shown; `NO_NET` without one. */
  netOf(i: number, amount: number): number {
    const fixed = this.fees[i]!
    if (Number.isNaN(fixed)) return NO_NET
    const converted = amount * this.rates[i]!
    const fee = fixed + converted * this.shares[i]!
    const net = converted - fee
    const isUnsure = isCancelled(converted, fee) || isNearHalf(net)
    return roundAmount(isUnsure ? this.#plainNet(i, amount) : net)
  }

  /** Value by which offers are compared, as in `Fitting`; `NO_NET` without a net amount. */
  worthOf(i: number, amount: number): number {
    const at = this.atOf(i, amount)
    const net = this.netOf(i, at)
    return at === amount || net === NO_NET ? net : roundAmount((net / at) * amount)
  }

  /** The amount, or the nearest that the offer is for. */
  atOf(i: number, amount: number): number {
    return Math.min(Math.max(amount, this.least[i]!), this.most[i]!)
  }

  /**
   * Reports whether the offer is for the amount, or for greater or smaller ones; from `FAR` on far.
   */
  matchOf(i: number, amount: number): number {
    const [least, most] = [this.least[i]!, this.most[i]!]
    if (amount < least) return least > RANGE_FACTOR * amount ? FAR_BELOW : BELOW
    if (amount > most) return amount > RANGE_FACTOR * most ? FAR_ABOVE : ABOVE
    return EXACT
  }

  /** The ratio of the amount to the nearest that the offer is for, or the reverse; else 0. */
  awayOf(i: number, amount: number): number {
    const [least, most] = [this.least[i]!, this.most[i]!]
    if (amount < least) return least / amount
    return amount > most ? amount / most : 0
  }

  /** A match in the JSON that depends only on its kind, not on the amount. */
  exampleOf(i: number, match: number): AmountMatch {
    const isBelow = match === BELOW || match === FAR_BELOW
    const atAmount = match === EXACT ? 0 : isBelow ? this.least[i]! : this.most[i]!
    return { match: WORDS[match]!, atAmount, ratio: 1 }
  }

  #plainNet(i: number, amount: number): number {
    const { quote } = this.#quotes[i]!
    return netConverted(quote, amount, feeMidOf(this.#feeMids, quote)) ?? NO_NET
  }
}

const WORDS = ['exact', 'nearest', 'nearest', 'out_of_range', 'out_of_range'] as const

/** The fee by which a quote's cost is calculated; null if it has none. */
function dayFeeOf({ quote, midAtQuote, feeMidAtQuote: feeMid }: RankedQuote): number | null {
  return midAtQuote && feeInSource(quote, { mid: midAtQuote.rate, feeMid })
}
