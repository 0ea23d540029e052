import type { Corridor } from './corridor.ts'
import type { Window } from './period.ts'
import type { RateType } from './provider.ts'
import type { Quote } from './quote.ts'
import { BPS_PER_UNIT } from './spread.ts'

export const ORDERS = ['asc', 'desc'] as const

/** `asc` is oldest first. */
export type Order = (typeof ORDERS)[number]

/** A page of a corridor's history, of one provider or of all. */
export type PageAsk = Window & {
  readonly corridor: Corridor
  readonly providerId: string | null
  readonly order: Order
  readonly limit: number
  readonly offset: number
}

/** A place in a corridor's history, which is ordered by time and then by id. */
export type Place = { readonly atMs: number; readonly id: number }

/** Sorts by place, oldest first. */
export const byPlace = (a: Place, b: Place): number => a.atMs - b.atMs || a.id - b.id

/**
 * How far each quote lay below the best quote of its kind when it was said, by its id.
 *
 * `standing` is the latest quote of each provider before the first of `said`; `said` is the whole
 * corridor's history from there on, in any order. Unit: basis points of the best rate, so 0 is the
 * best of its kind at that moment.
 */
export function spreadsThen(
  standing: readonly Quote[],
  said: readonly Quote[],
): ReadonlyMap<number, number> {
  const latest = new Map(standing.map((quote) => [quote.providerId, quote]))
  const best = new Map<RateType, number>()
  const spreads = new Map<number, number>()
  for (const quote of said.toSorted(byPlace)) {
    const { rate, rateType, providerId } = quote
    const replaced = latest.get(providerId)
    latest.set(providerId, quote)
    if (replaced && replaced.rate === best.get(replaced.rateType)) best.delete(replaced.rateType)
    const known = best.get(rateType) ?? bestOfKind(latest.values(), rateType)
    const bestRate = Math.max(known, rate)
    best.set(rateType, bestRate)
    spreads.set(quote.id, ((bestRate - rate) / bestRate) * BPS_PER_UNIT)
  }
  return spreads
}

function bestOfKind(quotes: Iterable<Quote>, kind: RateType): number {
  let best = 0
  for (const { rate, rateType } of quotes) if (rateType === kind && rate > best) best = rate
  return best
}
