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
  const converted = amount * quote.rate
  if (quote.fee === null || quote.fee === 0) return converted
  if (quote.feeCurrency === null || quote.feeCurrency === quote.from)
    return converted - quote.fee * quote.rate
  if (quote.feeCurrency === quote.to) return converted - quote.fee
  return feeMid === null ? null : converted - quote.fee * feeMid
}

/** The currency whose mid to the target prices the quote's fee, or null when none is needed. */
export function thirdFeeCurrency(quote: Quote): string | null {
  const { fee, feeCurrency, from, to } = quote
  if (fee === null || fee === 0 || feeCurrency === null) return null
  return feeCurrency === from || feeCurrency === to ? null : feeCurrency
}
