import type { Mid } from '~/domain/mid.ts'
import type { Provider } from '~/domain/provider.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { spreadsBps } from '~/domain/spread.ts'

/** A quote with its rank and figures within its corridor. */
export type RankedQuote = {
  readonly quote: Quote
  readonly provider: Provider
  readonly spreadBps: number
  /** The pair's mid when the quote took effect; null where there was no recent one. */
  readonly midAtQuote: Mid | null
  /**
   * Units of the source currency for one of a third currency that the fee is charged in, when the
   * quote took effect; null where there is no such fee, or was no recent mid.
   */
  readonly feeMidAtQuote: number | null
}

/** What one corridor looks like at one cutoff. */
export type CorridorView = {
  /** Quotes by kind, best rate first within a kind. Empty when nobody quotes. */
  readonly quotes: readonly RankedQuote[]
  /** The best executable quote, or null when nothing executable is quoted. */
  readonly best: Quote | null
  /** The newest quote's time; null when nobody quotes. */
  readonly lastUpdatedMs: number | null
  /** Mean spread of the executable quotes, each within its own kind; null without one. */
  readonly avgSpreadBps: number | null
}

export const EMPTY_VIEW: CorridorView = {
  quotes: [],
  best: null,
  lastUpdatedMs: null,
  avgSpreadBps: null,
}

type Quoted = { readonly quote: Quote; readonly provider: Provider }

/** Ranks and measures the quotes of one corridor. */
export function corridorView(quoted: readonly Quoted[]): CorridorView {
  if (quoted.length === 0) return EMPTY_VIEW
  const spreads = spreadsBps(quoted.map(({ quote }) => quote))
  const entries = quoted.map(({ quote, provider }, i) => ({
    quote,
    provider,
    spreadBps: spreads[i]!,
    midAtQuote: null,
    feeMidAtQuote: null,
    value: quote.rate,
  }))
  entries.sort(byKindThenValue)
  return {
    quotes: entries,
    best: bestExecutable(entries)?.quote ?? null,
    lastUpdatedMs: entries.reduce((newest, { quote }) => Math.max(newest, quote.atMs), 0),
    avgSpreadBps: meanExecutableSpread(entries),
  }
}

function meanExecutableSpread(entries: readonly RankedQuote[]): number | null {
  const executable = entries.filter(({ quote }) => isExecutable(quote.rateType))
  if (executable.length === 0) return null
  return executable.reduce((sum, { spreadBps }) => sum + spreadBps, 0) / executable.length
}
