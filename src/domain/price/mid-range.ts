import type { RateType } from '~/domain/provider.ts'
import { suspicionOf } from './suspect.ts'

/** The lowest and the highest value that something had in a stretch of time. */
export type Range = { readonly least: number; readonly most: number }

/** Between which mids a pair stood while a dollar was worth this much in its currencies. */
export const midRange = (from: Range, to: Range): Range => ({
  least: to.least / from.most,
  most: to.most / from.least,
})

/**
 * Whether a rate may be suspect against a mid within `mids`: it is believed against each of them
 * where it is against the lowest and the highest.
 */
export function isDoubtful(
  priced: { readonly rate: number; readonly rateType: RateType },
  mids: Range,
  abovePct: number,
): boolean {
  return [mids.least, mids.most].some(
    (rate) => suspicionOf(priced, { midAtQuote: { rate }, mid: null }, abovePct) !== null,
  )
}
