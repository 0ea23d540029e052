import { isExecutable, KIND_ORDER, type RateType } from './provider.ts'
import { newestFirst, type Quote } from './quote.ts'

export type Ranked = { readonly quote: Quote; readonly value: number | null }

const kindOrder = (a: RateType, b: RateType): number => KIND_ORDER[a] - KIND_ORDER[b]

/**
 * Sorts best first inside each kind, the kinds in their fixed order.
 *
 * `value` is what the list ranks by (a rate, a net amount); null is last of its kind. Between equal
 * values the newest comes first, then the smaller provider id, so the order is total.
 */
export function byKindThenValue(a: Ranked, b: Ranked): number {
  const kinds = kindOrder(a.quote.rateType, b.quote.rateType)
  return kinds || byValue(a, b)
}

/** The best executable entry by `value`, or null; entries without a value never win. */
export function bestExecutable<T extends Ranked>(entries: readonly T[]): T | null {
  let best: T | null = null
  for (const entry of entries) {
    if (entry.value === null || !isExecutable(entry.quote.rateType)) continue
    if (best === null || byValue(entry, best) < 0) best = entry
  }
  return best
}

function byValue(a: Ranked, b: Ranked): number {
  if (a.value !== b.value) {
    if (a.value === null) return 1
    if (b.value === null) return -1
    return b.value - a.value
  }
  return byTie(a, b)
}

/** The order of quotes of equal value, whatever their kind. */
export const byTie = (a: Pick<Ranked, 'quote'>, b: Pick<Ranked, 'quote'>): number =>
  b.quote.atMs - a.quote.atMs ||
  compareText(a.quote.providerId, b.quote.providerId) ||
  newestFirst(a.quote, b.quote)

/** Compares by code units, which gives one order on every machine and in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
