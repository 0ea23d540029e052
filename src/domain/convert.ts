import type { Quote } from './quote.ts'

/** Greater amounts are refused, so that no product of amount and rate overflows. */
export const AMOUNT_MAX = 1e15

/**
 * What the recipient nets of `amount`, in the target currency; null when the fee cannot be priced.
 *
 * A fee in the source currency is priced at the provider's own rate, one in the target currency is
 * taken as it is, one in a third currency is priced at `feeMid` (units of target per unit of fee
 * currency; null when there is no such mid). May be zero or negative: a fee can eat the amount.
 */
export function netConverted(quote: Quote, amount: number, feeMid: number | null): number | null {
  const fee = feeInTarget(quote, feeMid)
  return fee === null ? null : netOf(amount * quote.rate, fee)
}

/** The quote's fee in the target currency, whatever the amount; null when it cannot be priced. */
export function feeInTarget(quote: Quote, feeMid: number | null): number | null {
  if (quote.fee === null || quote.fee === 0) return 0
  if (quote.feeCurrency === null || quote.feeCurrency === quote.from) return quote.fee * quote.rate
  if (quote.feeCurrency === quote.to) return quote.fee
  return feeMid === null ? null : quote.fee * feeMid
}

/** What is left of a converted amount after a fee in the same currency. */
export const netOf = (converted: number, fee: number): number =>
  fee === 0 ? converted : difference(converted, fee)

/** Decimal digits that a product or two of doubles still has right. */
const SURE_DIGITS = 14
/** So many digits or more are left to the rounding at the end. */
const PLAIN_DIGITS = 12
const CANCELLED_MAX = SURE_DIGITS - PLAIN_DIGITS
const CANCELLING = 10 ** CANCELLED_MAX

/**
 * `converted` less `fee` with only the digits that both have right: where nearly all of an amount
 * goes into the fee, binary dust must not pass for a net amount (0.1 * 3 - 0.3 is 0).
 */
function difference(converted: number, fee: number): number {
  const net = converted - fee
  if (Math.abs(net) * CANCELLING >= Math.max(converted, fee)) return net
  const cancelled = exponentOf(Math.max(converted, fee)) - exponentOf(net)
  const digits = SURE_DIGITS - cancelled
  if (digits >= PLAIN_DIGITS) return net
  return digits < 1 ? 0 : Number(net.toPrecision(digits))
}

const exponentOf = (x: number): number => Math.floor(Math.log10(Math.abs(x)))

/** The currency whose mid to the target prices the quote's fee, or null when none is needed. */
export function thirdFeeCurrency(quote: Quote): string | null {
  const { fee, feeCurrency, from, to } = quote
  if (fee === null || fee === 0 || feeCurrency === null) return null
  return feeCurrency === from || feeCurrency === to ? null : feeCurrency
}
