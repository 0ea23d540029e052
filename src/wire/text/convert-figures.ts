import { feeInTarget, isCancelled, netConverted } from '~/domain/convert.ts'
import { feePercentOf } from '~/domain/offer/fee.ts'
import { feeInSource, marginPct } from '~/domain/price/cost.ts'
import { roundAmount } from '~/domain/round.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import { type FeeMids, feeMidOf } from '~/service/convert.ts'

/** A rank below every net amount, for a quote whose fee cannot be priced. */
export const NO_NET = Number.NEGATIVE_INFINITY

/** How an amount lies to those that an offer is for. */
export const EXACT = 0
export const BELOW = 1
const ABOVE = 2

/**
 * What quotes are reckoned by, side by side: under load the arithmetic costs little, but reaching
 * for many scattered objects costs a lot.
 */
export class ConvertFigures {
  readonly rates: Float64Array
  /** Fees in the target currency; NaN where a fee cannot be priced. */
  readonly fees: Float64Array
  /** What is charged beside the fee, in percent of the amount and as a part of it. */
  readonly percents: Float64Array
  readonly shares: Float64Array
  /** Fees in the source currency at the mids of the quote's day; NaN where there is no cost. */
  readonly dayFees: Float64Array
  /** Margins in percent against the mid of the quote's day. */
  readonly margins: Float64Array
  /** The amounts that each offer is for; infinite where it does not name an end. */
  readonly least: Float64Array
  readonly most: Float64Array
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
      ({ quote, midAtQuote }) => midAtQuote && marginPct(quote.rate, midAtQuote.rate),
    )
    this.fees = each(({ quote }) => feeInTarget(quote, feeMidOf(feeMids, quote)))
    this.least = each(({ quote }) => quote.offer?.amountMin ?? Number.NEGATIVE_INFINITY)
    this.most = each(({ quote }) => quote.offer?.amountMax ?? Number.POSITIVE_INFINITY)
  }

  /** Whether an amount has a net one, which needs a fee that can be priced. */
  hasNet(i: number): boolean {
    return !Number.isNaN(this.fees[i]!)
  }

  /** What arrives of an amount, as it is shown; `NO_NET` without a net amount. */
  netOf(i: number, amount: number): number {
    const fixed = this.fees[i]!
    if (Number.isNaN(fixed)) return NO_NET
    const converted = amount * this.rates[i]!
    const fee = fixed + converted * this.shares[i]!
    return roundAmount(isCancelled(converted, fee) ? this.#plainNet(i, amount) : converted - fee)
  }

  /** Whether the offer is for the amount, or for greater or smaller ones. */
  matchOf(i: number, amount: number): number {
    if (amount < this.least[i]!) return BELOW
    return amount > this.most[i]! ? ABOVE : EXACT
  }

  #plainNet(i: number, amount: number): number {
    const { quote } = this.#quotes[i]!
    return netConverted(quote, amount, feeMidOf(this.#feeMids, quote)) ?? NO_NET
  }
}

/** The fee by which a quote's cost is reckoned; null where it has none. */
function dayFeeOf({ quote, midAtQuote, feeMidAtQuote: feeMid }: RankedQuote): number | null {
  return midAtQuote && feeInSource(quote, { mid: midAtQuote.rate, feeMid })
}
