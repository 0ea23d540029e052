import { choiceOf, everyOffer, type Fitting } from '~/domain/offer/choice.ts'
import { ALL_SAID, type FilterName, isUnfiltered, unspecifiedOf } from '~/domain/offer/filter.ts'
import { isPlainSelection, type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { lastMsOf } from '~/domain/offer/terms.ts'
import type { DayMids } from '~/domain/price/day-mids.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import { isExecutable, type Provider, type RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestOf } from '~/domain/rank.ts'
import { believedBests, spreadBps } from '~/domain/spread.ts'

/** A quote as seen at a time. */
export type AgedQuote = {
  readonly quote: Quote
  /** Says whether the quote is older than a current price may be. */
  readonly isStale: boolean
  /** Distance from the mid of its day, if that makes it suspect; else null. */
  readonly suspect: Suspicion | null
}

export type RankedQuote = AgedQuote &
  DayMids & {
    readonly provider: Provider
    /** Distance below the best of its kind among quotes not suspect; below zero only if suspect. */
    readonly spreadBps: number
    /** The filters asked for that its offer says nothing about; else one shared empty list. */
    readonly unspecified: readonly FilterName[]
  }

export type CorridorView = {
  /**
   * The quotes shown: one of each provider, or of each of its offers if requested. By kind, best
   * rate first within a kind and suspect ones last. Empty without quotes.
   */
  readonly quotes: readonly RankedQuote[]
  /**
   * Every selected quote, among which the amount of a request may choose others than those shown;
   * the very same list if each provider has but one.
   */
  readonly offers: readonly RankedQuote[]
  /** The best executable quote shown that is not suspect, or null without one. */
  readonly best: RankedQuote | null
  /** The newest time of the quotes shown; null without quotes. */
  readonly lastUpdatedMs: number | null
  /** The oldest time of all offers; Infinity without quotes. */
  readonly oldestMs: number
  /** The time of the oldest offer that is not stale; Infinity without one. */
  readonly oldestFreshMs: number
  /** The last time before the first offer expires by its own terms; Infinity if none does. */
  readonly lastMs: number
  /**
   * Mean spread of the executable quotes shown that are not suspect, each within its own kind; null
   * without one.
   */
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

export type Quoted = Omit<RankedQuote, 'spreadBps' | 'isStale' | 'unspecified'>

type Candidate = Omit<RankedQuote, 'spreadBps'>

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

/** The view of the selected quotes from `sinceMs` on; the very same view if all are selected. */
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
    const unspecified = unspecifiedOf(candidate, filters)
    return unspecified ? [{ ...candidate, unspecified }] : []
  })
}

function measured(candidates: readonly Candidate[], selection: Selection): CorridorView {
  if (candidates.length === 0) return EMPTY_VIEW
  const shown = shownOf(candidates, selection)
  const bests = believedBests(shown.map(({ candidate }) => candidate))
  const entries = new Map(candidates.map((one) => [one, entryOf(one, bests)]))
  const quotes = shown.map(({ candidate }) => entries.get(candidate)!)
  const offers = quotes.length === entries.size ? quotes : [...entries.values()]
  const best = bestOf(shown)
  return {
    quotes,
    offers,
    best: best && entries.get(best.candidate)!,
    lastUpdatedMs: quotes.reduce((newest, { quote }) => Math.max(newest, quote.atMs), 0),
    oldestMs: oldestMs(offers),
    oldestFreshMs: oldestMs(offers.filter(({ isStale }) => !isStale)),
    lastMs: offers.reduce((ms, { quote }) => Math.min(ms, lastMsOf(quote)), FOREVER),
    avgSpreadBps: meanExecutableSpread(quotes),
  }
}

/** The candidates to be shown, ranked. */
function shownOf(
  candidates: readonly Candidate[],
  { filters, isEvery }: Selection,
): readonly Fitting<Candidate>[] {
  const choice = isEvery || isOneOfEach(candidates) ? everyOffer : choiceOf
  return choice(candidates, { filters, goal: null, feeMidOf: () => null })
}

const isOneOfEach = (candidates: readonly Candidate[]): boolean =>
  new Set(candidates.map(({ quote }) => quote.providerId)).size === candidates.length

const entryOf = (one: Candidate, bests: ReadonlyMap<RateType, number>): RankedQuote => ({
  quote: one.quote,
  isStale: one.isStale,
  suspect: one.suspect,
  provider: one.provider,
  spreadBps: spreadBps(one.quote, bests),
  unspecified: one.unspecified,
  midAtQuote: one.midAtQuote,
  feeMidAtQuote: one.feeMidAtQuote,
})

const oldestMs = (entries: readonly RankedQuote[]): number =>
  entries.reduce((oldest, { quote }) => Math.min(oldest, quote.atMs), Number.POSITIVE_INFINITY)

function meanExecutableSpread(entries: readonly RankedQuote[]): number | null {
  const executable = entries.filter(
    ({ quote, suspect }) => isExecutable(quote.rateType) && !suspect,
  )
  if (executable.length === 0) return null
  return executable.reduce((sum, { spreadBps }) => sum + spreadBps, 0) / executable.length
}
