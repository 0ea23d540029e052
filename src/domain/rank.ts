import { isExecutable, KIND_ORDER } from './provider.ts'
import { newestFirst, type Quote } from './quote.ts'

/**
 * Place of an entry in the list of its kind, whatever its value: a suspect price comes after the
 * others, and one for amounts far from the requested one comes last.
 */
export const STANDING = { usual: 0, suspect: 1, outOfRange: 2 } as const
export type Standing = (typeof STANDING)[keyof typeof STANDING]

export type Ranked = {
  readonly quote: Quote
  readonly standing: Standing
  /** Filters that its offer says nothing about. */
  readonly unspecified: readonly unknown[]
  /** Value that the list ranks by, greatest first (a rate, a net amount); null is last. */
  readonly value: number | null
  /** Value that decides between equal ones, greatest first. */
  readonly second: number | null
}

/**
 * Sorts best first inside each kind, the kinds in their fixed order.
 *
 * Inside a kind entries are sorted by `standing`, then by whether they state all requested
 * conditions, then by `byWorth`, so the order is total.
 */
export function byRank(a: Ranked, b: Ranked): number {
  return (
    KIND_ORDER[a.quote.rateType] - KIND_ORDER[b.quote.rateType] ||
    a.standing - b.standing ||
    silence(a) - silence(b) ||
    byWorth(a, b)
  )
}

/**
 * The best executable entry among those that state all requested conditions, else among the silent
 * ones; null without one. Suspect prices, prices for other amounts and entries without a value are
 * never the best.
 */
export function bestOf<T extends Ranked>(entries: readonly T[]): T | null {
  let best: T | null = null
  for (const entry of entries) {
    if (entry.value === null || entry.standing !== STANDING.usual) continue
    if (!isExecutable(entry.quote.rateType)) continue
    if (best === null || (silence(entry) - silence(best) || byWorth(entry, best)) < 0) best = entry
  }
  return best
}

/** 1 for an entry that is silent about something that was asked, else 0. */
export const silence = ({ unspecified }: Pick<Ranked, 'unspecified'>): number =>
  Math.sign(unspecified.length)

/** The order of entries by value, whatever their kind. */
const byWorth = (a: Ranked, b: Ranked): number =>
  byValue(a.value, b.value) || byValue(a.second, b.second) || byTie(a, b)

/** Sorts the greater value first and null last. */
export function byValue(a: number | null, b: number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  return b === null ? -1 : b - a
}

/** The order of equal quotes of any kind: the newest first, then the smaller provider id. */
export const byTie = (a: Pick<Ranked, 'quote'>, b: Pick<Ranked, 'quote'>): number =>
  b.quote.atMs - a.quote.atMs ||
  compareText(a.quote.providerId, b.quote.providerId) ||
  newestFirst(a.quote, b.quote)

/** Compares by code units, which gives one order on every machine and in every locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
