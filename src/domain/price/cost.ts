import { thirdFeeCurrency } from '~/domain/convert.ts'
import { roundedDifference } from '~/domain/decimal.ts'
import { feePercentOf, isFeeStated } from '~/domain/offer/fee.ts'
import type { Quote } from '~/domain/quote.ts'
import { isNearHalf, roundPercent } from '~/domain/round.ts'

const PERCENT = 100

/**
 * Cost of a transfer, in percent of the sent amount unless stated otherwise. Every number is as
 * shown, so that the parts add up.
 */
export type Cost = {
  readonly feePct: number
  /** Share of the exchange rate; below zero if the provider beats the mid. */
  readonly marginPct: number
  /** Both together. */
  readonly totalPct: number
  /** Both together, in the source currency. */
  readonly total: number
}

type QuoteDay = {
  /** The mid of the pair: units of target currency per unit of source. */
  readonly mid: number
  /** Units of source currency for one of the fee's third currency; null without such a mid. */
  readonly feeMid: number | null
}

/** A part of an amount, in percent of it. */
export const percentOf = (part: number, amount: number): number => (part / amount) * PERCENT

/** Distance of a rate below the mid of its own day, in percent of the mid. */
export const marginPct = (rate: number, mid: number): number => (1 - rate / mid) * PERCENT

/**
 * The total cost of sending `amount` of the source currency, as Remittance Prices Worldwide and SDG
 * indicator 10.c.1 calculate it: fee and exchange rate margin, both in percent of the amount sent.
 *
 * Null if the fee is not stated, and if a fee in a third currency has no mid of that day. A fee
 * in the target currency is brought to the source currency at the mid of the day.
 */
export function costOf(quote: Quote, amount: number, day: QuoteDay): Cost | null {
  const fixed = feeInSource(quote, day)
  if (fixed === null) return null
  const feePct = roundPercent(percentOf(fixed, amount) + feePercentOf(quote))
  const margin = roundPercent(marginPct(quote.rate, day.mid))
  const totalPct = roundPercent(feePct + margin)
  return { feePct, marginPct: margin, totalPct, total: partOf(amount, totalPct) }
}

/** A percentage of an amount, right in all of the 12 digits that are shown. */
export function partOf(amount: number, percent: number): number {
  const part = (amount * percent) / PERCENT
  if (percent === 0 || !isNearHalf(part)) return part
  const exact = roundedDifference([amount, percent, 0.01])
  return Number.isNaN(exact) ? part : exact
}

/**
 * The fee in the source currency at the mids of the quote's day, as far as it is the same for every
 * amount; null when it is not stated, and when it has no price.
 */
export function feeInSource(quote: Quote, { mid, feeMid }: QuoteDay): number | null {
  const { fee, feeCurrency, to } = quote
  if (fee === null) return isFeeStated(quote) ? 0 : null
  if (fee === 0) return fee
  if (thirdFeeCurrency(quote) !== null) return feeMid === null ? null : fee * feeMid
  return feeCurrency === to ? fee / mid : fee
}
