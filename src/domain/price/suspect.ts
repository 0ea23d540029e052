import type { Basis } from '~/domain/mid.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'

const PERCENT = 100
/** Doubles closer than this part of them may be equal as decimals. */
const NOISE = 1e-13
/** Divisor of the mid below which a rate is suspect. */
const BELOW_PARTS = 2

/** The lowest and the highest value that something had in a stretch of time. */
export type Range = { readonly least: number; readonly most: number }

/** Distance of a rate from the mid that it was compared with. */
export type Suspicion = {
  /** In percent of the mid: above zero for a rate above it, below zero for one below it. */
  readonly offPct: number
  /** Says whether the mid is that of the day of the quote; otherwise it is the current one. */
  readonly isOfDay: boolean
}

type Compared = { readonly rate: number; readonly basis?: Basis }

/** The mids that a quote can be compared with; null for one that is not known. */
export type Against = {
  readonly midAtQuote: Compared | null
  /** The current mid of the pair, which counts only without a `midAtQuote`. */
  readonly mid: Compared | null
}

/** The rates that are believed against a mid: see `suspicionOf`. */
export const believedRange = (mid: number, abovePct: number): Range => ({
  least: mid / BELOW_PARTS,
  most: mid * (1 + abovePct / PERCENT) * (1 + NOISE),
})

/**
 * Reports that an executable quote lies too far from the mid of its day to be believed: more than
 * `abovePct` percent above it, or more than 50 percent below it.
 *
 * Null for a quote that is believed, for other kinds of price, for a quote without a mid or with a
 * disputed one, and if `abovePct` is null, which turns the rule off.
 */
export function suspicionOf(
  { rate, rateType }: Pick<Quote, 'rate' | 'rateType'>,
  { midAtQuote, mid }: Against,
  abovePct: number | null,
): Suspicion | null {
  const known = midAtQuote ?? mid
  if (abovePct === null || known === null || !isExecutable(rateType)) return null
  if (known.basis === 'disputed') return null
  const { least, most } = believedRange(known.rate, abovePct)
  if (rate >= least && rate <= most) return null
  return { offPct: (rate / known.rate - 1) * PERCENT, isOfDay: midAtQuote !== null }
}
