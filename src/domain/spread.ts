import type { RateType } from './provider.ts'

export const BPS_PER_UNIT = 10_000

type Priced = { readonly rate: number; readonly rateType: RateType }

type Evaluated = { readonly quote: Priced; readonly suspect: object | null }

/** The highest believed rate of each kind; of a kind without one, the highest suspect rate. */
export function believedBests(evaluated: readonly Evaluated[]): ReadonlyMap<RateType, number> {
  const best = new Map<RateType, number>()
  for (const isSuspect of [true, false]) {
    const kinds = new Set<RateType>()
    for (const { quote, suspect } of evaluated) {
      if ((suspect !== null) !== isSuspect) continue
      const { rate, rateType } = quote
      best.set(rateType, Math.max(rate, kinds.has(rateType) ? best.get(rateType)! : 0))
      kinds.add(rateType)
    }
  }
  return best
}

/**
 * Distance of a rate below the best of its own kind, in basis points of the best; 0 for a kind
 * without a best.
 *
 * Kinds never mix: an `official` price is not a worse `retail` price, it is a different thing.
 */
export function spreadBps({ rate, rateType }: Priced, best: ReadonlyMap<RateType, number>): number {
  const bestRate = best.get(rateType) ?? rate
  return ((bestRate - rate) / bestRate) * BPS_PER_UNIT
}

/** Distance of `rate` above (positive) or below (negative) the mid, in basis points of the mid. */
export const vsMidBps = (rate: number, mid: number): number => (rate / mid - 1) * BPS_PER_UNIT
