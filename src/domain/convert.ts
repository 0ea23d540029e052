import { roundedDifference } from './decimal.ts'
import { feePercentOf } from './offer/fee.ts'
import type { Quote } from './quote.ts'
import { isNearHalf } from './round.ts'

/** The largest amount accepted, so that no product of amount and rate overflows. */
export const AMOUNT_MAX = 1e15

/**
 * Net amount of the recipient for `amount`, in the target currency; null when the fee cannot be
 * priced.
 *
 * A fee in the source currency is priced at the provider's own rate, one in the target currency is
 * subtracted unchanged, one in a third currency is priced at `feeMid` (units of target per unit of
 * fee currency; null when there is no such mid). A percentage that an offer charges on top is
 * taken of the amount. May be zero or negative: a fee can eat the amount.
 */
export function netConverted(quote: Quote, amount: number, feeMid: number | null): number | null {
  const fixed = feeInTarget(quote, feeMid)
  if (fixed === null) return null
  const converted = amount * quote.rate
  const fee = fixed + converted * (feePercentOf(quote) / 100)
  const net = converted - fee
  return isCancelled(converted, fee) || isNearHalf(net)
    ? netInDecimals(quote, amount, { fee, feeMid })
    : net
}

/** Converted amount before fees, right in all of the 12 digits that are shown. */
export function convertedAt(rate: number, amount: number): number {
  const converted = amount * rate
  if (!isNearHalf(converted)) return converted
  const exact = roundedDifference([amount, rate])
  return Number.isNaN(exact) ? converted : exact
}

/** The fee in the target currency, as far as it is fixed; null when it cannot be priced. */
export function feeInTarget(quote: Quote, feeMid: number | null): number | null {
  if (quote.fee === null || quote.fee === 0) return 0
  const price = feePrice(quote, feeMid)
  return price === null ? null : quote.fee * price
}

/** Units of the target currency per unit of the fee's; null when there is no mid for it. */
export function feePrice(
  { feeCurrency, from, to, rate }: Quote,
  feeMid: number | null,
): number | null {
  if (feeCurrency === null || feeCurrency === from) return rate
  return feeCurrency === to ? 1 : feeMid
}

/** The number of decimal digits that are still right in a product or two of doubles. */
const SURE_DIGITS = 14
/** Numbers with this many digits or more are left to the rounding at the end. */
const PLAIN_DIGITS = 12
const CANCELLING = 10 ** (SURE_DIGITS - PLAIN_DIGITS)

/**
 * Reports whether a fee, in the currency of the converted amount, uses up so much of it that the
 * difference of the doubles has fewer correct digits than are shown.
 */
export const isCancelled = (converted: number, fee: number): boolean =>
  fee !== 0 && Math.abs(converted - fee) * CANCELLING < Math.max(converted, fee)

/**
 * The net amount computed in decimals as written: 0.1 * 3 - 0.3 is 0. A mid is itself a quotient of
 * doubles. So when it prices a fee that uses up the amount, and for decimals of extreme length,
 * only the digits count that are right on both sides.
 */
function netInDecimals(
  quote: Quote,
  amount: number,
  { fee, feeMid }: { readonly fee: number; readonly feeMid: number | null },
): number {
  const { rate, fee: charged } = quote
  const converted = amount * rate
  const isSure = thirdFeeCurrency(quote) === null || !isCancelled(converted, fee)
  const percent = [amount, rate, feePercentOf(quote), 0.01]
  const fixed = [charged ?? 0, feePrice(quote, feeMid) ?? 0]
  const net = isSure ? roundedDifference([amount, rate], fixed, percent) : Number.NaN
  return Number.isNaN(net) ? sureDigits(converted - fee, Math.max(converted, fee)) : net
}

/** Right digits of a difference of doubles, the larger of which is `size`; 0 if none is. */
function sureDigits(difference: number, size: number): number {
  const digits = SURE_DIGITS - (exponentOf(size) - exponentOf(difference))
  if (digits >= PLAIN_DIGITS) return difference
  return digits < 1 ? 0 : Number(difference.toPrecision(digits))
}

const exponentOf = (x: number): number => Math.floor(Math.log10(Math.abs(x)))

/** The currency whose mid to the target prices the quote's fee, or null when none is needed. */
export function thirdFeeCurrency(quote: Quote): string | null {
  const { fee, feeCurrency, from, to } = quote
  if (fee === null || fee === 0 || feeCurrency === null) return null
  return feeCurrency === from || feeCurrency === to ? null : feeCurrency
}
