import { ALL_SAID, type FilterName } from '~/domain/offer/filter.ts'
import type { DayMids } from '~/domain/price/day-mids.ts'
import type { Provider } from '~/domain/provider.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { spreadsBps } from '~/domain/spread.ts'

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
    readonly spreadBps: number
    /** The filters asked for that its offer says nothing about; else one shared empty list. */
    readonly unspecified: readonly FilterName[]
  }

/** What one corridor looks like at one cutoff. */
export type CorridorView = {
  /** Quotes by kind, best rate first within a kind. Empty when nobody quotes. */
  readonly quotes: readonly RankedQuote[]
  /** The best executable quote, or null when nothing executable is quoted. */
  readonly best: RankedQuote | null
  /** The newest quote's time; null when nobody quotes. */
  readonly lastUpdatedMs: number | null
  /** The oldest quote's time; Infinity when nobody quotes. */
  readonly oldestMs: number
  /** The time of the oldest quote that is not stale; Infinity without one. */
  readonly oldestFreshMs: number
  /** Mean spread of the executable quotes, each within its own kind; null without one. */
  readonly avgSpreadBps: number | null
}

export const EMPTY_VIEW: CorridorView = {
  quotes: [],
  best: null,
  lastUpdatedMs: null,
  oldestMs: Number.POSITIVE_INFINITY,
  oldestFreshMs: Number.POSITIVE_INFINITY,
  avgSpreadBps: null,
}

/** A quote to be ranked. */
export type Quoted = Omit<RankedQuote, 'spreadBps' | 'isStale' | 'unspecified'>

/** Ranks and measures the quotes of one corridor; those from before `staleBeforeMs` are stale. */
export function corridorView(quoted: readonly Quoted[], staleBeforeMs: number): CorridorView {
  return measured(
    quoted.map((one) => ({
      ...one,
      isStale: one.quote.atMs < staleBeforeMs,
      unspecified: ALL_SAID,
    })),
  )
}

/** The view without quotes from before `sinceMs`; the very same view where there are none. */
export function viewSince(view: CorridorView, sinceMs: number): CorridorView {
  if (view.oldestMs >= sinceMs) return view
  return measured(view.quotes.filter(({ quote }) => quote.atMs >= sinceMs))
}

function measured(quoted: readonly Omit<RankedQuote, 'spreadBps'>[]): CorridorView {
  if (quoted.length === 0) return EMPTY_VIEW
  const spreads = spreadsBps(quoted.map(({ quote }) => quote))
  const entries = quoted.map((one, i) => ({
    quote: one.quote,
    isStale: one.isStale,
    provider: one.provider,
    spreadBps: spreads[i]!,
    unspecified: one.unspecified,
    midAtQuote: one.midAtQuote,
    feeMidAtQuote: one.feeMidAtQuote,
    value: one.quote.rate,
  }))
  entries.sort(byKindThenValue)
  return {
    quotes: entries,
    best: bestExecutable(entries),
    lastUpdatedMs: entries.reduce((newest, { quote }) => Math.max(newest, quote.atMs), 0),
    oldestMs: oldestMs(entries),
    oldestFreshMs: oldestMs(entries.filter(({ isStale }) => !isStale)),
    avgSpreadBps: meanExecutableSpread(entries),
  }
}

const oldestMs = (entries: readonly RankedQuote[]): number =>
  entries.reduce((oldest, { quote }) => Math.min(oldest, quote.atMs), Number.POSITIVE_INFINITY)

function meanExecutableSpread(entries: readonly RankedQuote[]): number | null {
  const executable = entries.filter(({ quote }) => isExecutable(quote.rateType))
  if (executable.length === 0) return null
  return executable.reduce((sum, { spreadBps }) => sum + spreadBps, 0) / executable.length
}
