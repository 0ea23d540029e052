import type { RateType } from './provider.ts'

export const BPS_PER_UNIT = 10_000

type Priced = { readonly rate: number; readonly rateType: RateType }

/** The highest rate of each kind among `quotes`. */
export function bestByKind(quotes: readonly Priced[]): ReadonlyMap<RateType, number> {
  const best = new Map<RateType, number>()
  for (const { rate, rateType } of quotes)
    best.set(rateType, Math.max(rate, best.get(rateType) ?? 0))
  return best
}

/**
 * How far each quote lies below the best quote of its own rate type.
 *
 * Unit: basis points of the best rate, so the best of each kind is 0 and no result is negative.
 * Shape: one number per quote, in input order; empty in, empty out.
 *
 * Kinds never mix: an `official` price is not a worse `retail` price, it is a different thing.
 */
export function spreadsBps(quotes: readonly Priced[]): number[] {
  const best = bestByKind(quotes)
  return quotes.map((quote) => spreadBps(quote, best))
}

/** How far a rate lies below the best of its kind, in basis points of the best. */
export function spreadBps({ rate, rateType }: Priced, best: ReadonlyMap<RateType, number>): number {
  const bestRate = best.get(rateType) ?? rate
  return ((bestRate - rate) / bestRate) * BPS_PER_UNIT
}

/** How far `rate` lies above (positive) or below (negative) the mid, in basis points of the mid. */
export const vsMidBps = (rate: number, mid: number): number => (rate / mid - 1) * BPS_PER_UNIT
