import { bestFitting, choiceOf, everyOffer } from '~/domain/offer/choice.ts'
import { ALL_SAID, type FilterName, isUnfiltered, unspecifiedOf } from '~/domain/offer/filter.ts'
import { isPlainSelection, type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { lastMsOf } from '~/domain/offer/terms.ts'
import type { DayMids } from '~/domain/price/day-mids.ts'
import { isExecutable, type Provider, type RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { byKindThenValue } from '~/domain/rank.ts'
import { bestByKind, spreadBps } from '~/domain/spread.ts'

/** A quote as it is seen at a moment. */
export type AgedQuote = {
  readonly quote: Quote
  /** Whether the quote is older than a current price may be. */
  readonly isStale: boolean
}

/** A quote with its rank and figures within its corridor. */
export type RankedQuote = AgedQuote &
  DayMids & {
    readonly provider: Provider
    /** How far it lies below the best of its kind among the quotes shown. */
    readonly spreadBps: number
    /** The filters asked for that its offer says nothing about; else one shared empty list. */
    readonly unspecified: readonly FilterName[]
  }

/** What one corridor looks like at one cutoff. */
export type CorridorView = {
  /**
   * What is shown: one quote of each provider, or of each of its offers where that was asked. By
   * kind, best rate first within a kind. Empty when nobody quotes.
   */
  readonly quotes: readonly RankedQuote[]
  /**
   * Every quote that was selected, among which the amount of a question may choose another than
   * those shown; the very same list where each provider has but one.
   */
  readonly offers: readonly RankedQuote[]
  /** The best executable quote shown, or null when nothing executable is quoted. */
  readonly best: RankedQuote | null
  /** The newest time of the quotes shown; null when nobody quotes. */
  readonly lastUpdatedMs: number | null
  /** The oldest time of all offers; Infinity when nobody quotes. */
  readonly oldestMs: number
  /** The time of the oldest offer that is not stale; Infinity without one. */
  readonly oldestFreshMs: number
  /** The last moment before the first offer runs out by its own terms; Infinity if none does. */
  readonly lastMs: number
  /** Mean spread of the executable quotes shown, each within its own kind; null without one. */
  readonly avgSpreadBps: number | null
}

const NOTHING: readonly RankedQuote[] = []
const FOREVER = Number.POSITIVE_INFINITY

export const EMPTY_VIEW: CorridorView = {
  quotes: NOTHING,
  offers: NOTHING,
  best: null,
  lastUpdatedMs: null,
  oldestMs: Number.POSITIVE_INFINITY,
  oldestFreshMs: Number.POSITIVE_INFINITY,
  lastMs: Number.POSITIVE_INFINITY,
  avgSpreadBps: null,
}

/** A quote to be ranked. */
export type Quoted = Omit<RankedQuote, 'spreadBps' | 'isStale' | 'unspecified'>

type Candidate = Omit<RankedQuote, 'spreadBps'>
type Entry = RankedQuote & { readonly value: number }

/**
 * Ranks and measures the quotes of one corridor, as far as they are selected, whatever their age;
 * those from before `staleBeforeMs` are stale.
 */
export function corridorView(
  quoted: readonly Quoted[],
  staleBeforeMs: number,
  selection: Selection = UNSELECTED,
): CorridorView {
  const candidates = quoted.map((one) => {
    const isStale = one.quote.atMs < staleBeforeMs
    return { ...one, isStale, unspecified: ALL_SAID }
  })
  return measured(fittingOf(candidates, selection), selection)
}

/**
 * The view of what is selected among the quotes from `sinceMs` on; the very same view where that is
 * all of it.
 */
export function selectedView(
  view: CorridorView,
  selection: Selection,
  sinceMs: number,
): CorridorView {
  const isYoung = view.oldestMs >= sinceMs
  if (isYoung && isPlainSelection(selection)) return view
  const young = isYoung ? view.offers : view.offers.filter(({ quote }) => quote.atMs >= sinceMs)
  return measured(fittingOf(young, selection), selection)
}

/** The candidates that fit the filters, each with those that it says nothing about. */
function fittingOf(candidates: readonly Candidate[], { filters }: Selection): readonly Candidate[] {
  if (isUnfiltered(filters)) return candidates
  return candidates.flatMap((candidate) => {
    const unspecified = unspecifiedOf(candidate.quote, filters)
    return unspecified ? [{ ...candidate, unspecified }] : []
  })
}

function measured(candidates: readonly Candidate[], selection: Selection): CorridorView {
  if (candidates.length === 0) return EMPTY_VIEW
  const shown = shownOf(candidates, selection)
  const best = bestByKind(shown.map(({ quote }) => quote))
  const entries = new Map(candidates.map((one) => [one, entryOf(one, best)]))
  const quotes = shown.map((one) => entries.get(one)!)
  if (shown === candidates) quotes.sort(byKindThenValue)
  const offers = quotes.length === entries.size ? quotes : [...entries.values()]
  return {
    quotes,
    offers,
    best: bestFitting(quotes, ({ unspecified }) => unspecified),
    lastUpdatedMs: quotes.reduce((newest, { quote }) => Math.max(newest, quote.atMs), 0),
    oldestMs: oldestMs(offers),
    oldestFreshMs: oldestMs(offers.filter(({ isStale }) => !isStale)),
    lastMs: offers.reduce((ms, { quote }) => Math.min(ms, lastMsOf(quote)), FOREVER),
    avgSpreadBps: meanExecutableSpread(quotes),
  }
}

/** The candidates to be shown, ranked; the very same list, as it is, where that is all of them. */
function shownOf(candidates: readonly Candidate[], selection: Selection): readonly Candidate[] {
  if (isPlainSelection(selection) && isOneOfEach(candidates)) return candidates
  const choice = selection.isEvery ? everyOffer : choiceOf
  const ask = { filters: selection.filters, goal: null, feeMidOf: () => null }
  return choice(candidates, ask).map(({ candidate }) => candidate)
}

const isOneOfEach = (candidates: readonly Candidate[]): boolean =>
  new Set(candidates.map(({ quote }) => quote.providerId)).size === candidates.length

const entryOf = (one: Candidate, best: ReadonlyMap<RateType, number>): Entry => ({
  quote: one.quote,
  isStale: one.isStale,
  provider: one.provider,
  spreadBps: spreadBps(one.quote, best),
  unspecified: one.unspecified,
  midAtQuote: one.midAtQuote,
  feeMidAtQuote: one.feeMidAtQuote,
  value: one.quote.rate,
})

const oldestMs = (entries: readonly RankedQuote[]): number =>
  entries.reduce((oldest, { quote }) => Math.min(oldest, quote.atMs), Number.POSITIVE_INFINITY)

function meanExecutableSpread(entries: readonly RankedQuote[]): number | null {
  const executable = entries.filter(({ quote }) => isExecutable(quote.rateType))
  if (executable.length === 0) return null
  return executable.reduce((sum, { spreadBps }) => sum + spreadBps, 0) / executable.length
}
