import type { Quote } from '~/domain/quote.ts'

/** What is charged beside the fee, in percent of the amount sent. */
export const feePercentOf = ({ offer }: Quote): number => offer?.feePercent ?? 0

/** Whether anybody said what is charged, be it nothing. */
export const isFeeStated = ({ fee, offer }: Quote): boolean =>
  fee !== null || (offer?.feePercent ?? null) !== null

/** All that is charged for an amount. */
type Charge = { readonly fee: number; readonly feeCurrency: string }

/**
 * What is charged for sending `amount`: the fee and the percentage together, in the currency of the
 * fee; in the source currency where nobody said another.
 *
 * Null where nobody stated a fee. A percentage of the amount is brought to the currency of the fee
 * at the provider's own rate, and from there to a third one at `feeMid` (units of target per unit
 * of fee currency); null without such a mid.
 */
export function feeAt(quote: Quote, amount: number, feeMid: number | null): Charge | null {
  if (!isFeeStated(quote)) return null
  const { from, to, rate, fee } = quote
  const feeCurrency = quote.feeCurrency ?? from
  const share = amount * (feePercentOf(quote) / 100)
  const charge = (part: number): Charge => ({ fee: (fee ?? 0) + part, feeCurrency })
  if (share === 0 || feeCurrency === from) return charge(share)
  if (feeCurrency === to) return charge(share * rate)
  return feeMid === null ? null : charge((share * rate) / feeMid)
}
