import type { Corridor } from './corridor.ts'
import { Crowd, type CrowdRules } from './crowd.ts'
import type { OfferFilters } from './offer/filter.ts'
import { heldKey } from './offer/held.ts'
import type { Window } from './period.ts'
import type { Quote } from './quote.ts'
import { BPS_PER_UNIT } from './spread.ts'

export const ORDERS = ['asc', 'desc'] as const

/** `asc` is oldest first. */
type Order = (typeof ORDERS)[number]

/** A page of a corridor's history, of one provider or of all, without offers that do not fit. */
export type PageAsk = Window & {
  readonly corridor: Corridor
  readonly providerId: string | null
  readonly filters?: OfferFilters
  /** Says whether it has withdrawn observations too. */
  readonly isWithWithdrawn?: boolean
  readonly order: Order
  readonly limit: number
  readonly offset: number
}

/** A place in a corridor's history, which is ordered by time and then by id. */
type Place = { readonly atMs: number; readonly id: number }

/** Part of a corridor's history that is known for a window: all before `beforeMs`. */
export type Standing = { readonly sinceMs: number; readonly beforeMs: number }

/** Sorts by place, oldest first. */
export const byPlace = (a: Place, b: Place): number => a.atMs - b.atMs || a.id - b.id

/**
 * Distance of each quote of `said` below the best quote of its kind at that time, by quote id; null
 * if its provider was not active then. Quotes that do not fit are no rivals.
 *
 * Quotes of one instant count together. `others` holds the competition: the quotes in force at the
 * first instant of `said`, and every quote from there to the last instant. Either list may be in
 * any order, and they may overlap. Unit: basis points of the best rate. A quote that was replaced
 * within the same instant is compared with the quotes that stayed and with itself. A suspect quote
 * is left out of the others' bests; its own spread is negative above the best that is believed.
 */
export function spreadsThen(
  said: readonly Quote[],
  others: readonly Quote[],
  rules: CrowdRules,
): ReadonlyMap<number, number | null> {
  const asked = new Set(said.map(({ id }) => id))
  const all = [...said, ...others.filter(({ id }) => !asked.has(id))].sort(byPlace)
  const crowd = new Crowd(
    all.map(({ providerId }) => providerId),
    rules,
  )
  const spreads = new Map<number, number | null>()
  for (let start = 0, end = 0; start < all.length; start = end) {
    const { atMs } = all[start]!
    while (all[end]?.atMs === atMs) end++
    const instant = all.slice(start, end)
    crowd.receive(instant, atMs)
    for (const quote of instant)
      if (asked.has(quote.id)) spreads.set(quote.id, spreadIn(crowd, quote, rules))
  }
  return spreads
}

/**
 * The ids of quotes that do not apply, as another of their offer and time was recorded after them.
 * `others` has the last of each offer at the first and the last time of `said`; they may overlap.
 */
export function supersededAmong(
  said: readonly Quote[],
  others: readonly Quote[],
): ReadonlySet<number> {
  const nameOf = (quote: Quote) => `${quote.atMs} ${heldKey(quote)}`
  const last = new Map<string, number>()
  for (const quote of [...said, ...others]) {
    const name = nameOf(quote)
    last.set(name, Math.max(quote.id, last.get(name) ?? 0))
  }
  return new Set(said.filter((one) => one.id < last.get(nameOf(one))!).map(({ id }) => id))
}

function spreadIn(crowd: Crowd, quote: Quote, rules: CrowdRules): number | null {
  if (!crowd.counts(quote)) return null
  const best = bestFor(crowd, quote, rules)
  return ((best - quote.rate) / best) * BPS_PER_UNIT
}

/** The best of its kind to compare a quote with; a suspect one only if all are. */
function bestFor(crowd: Crowd, quote: Quote, { isSuspect }: CrowdRules): number {
  const believed = crowd.bestBelieved(quote.rateType)
  if (!isSuspect(quote)) return Math.max(believed, quote.rate)
  return believed || Math.max(crowd.best(quote.rateType), quote.rate)
}
