import type { DayMids } from '~/domain/price/day-mids.ts'
import type { Provider } from '~/domain/provider.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { spreadsBps } from '~/domain/spread.ts'

/** A quote with its rank and figures within its corridor. */
export type RankedQuote = DayMids & {
  readonly quote: Quote
  readonly provider: Provider
  readonly spreadBps: number
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

/** A quote to be ranked. */
export type Quoted = Omit<RankedQuote, 'spreadBps'>

/** Ranks and measures the quotes of one corridor. */
export function corridorView(quoted: readonly Quoted[]): CorridorView {
  if (quoted.length === 0) return EMPTY_VIEW
  const spreads = spreadsBps(quoted.map(({ quote }) => quote))
  const entries = quoted.map((one, i) => ({
    quote: one.quote,
    provider: one.provider,
    spreadBps: spreads[i]!,
    midAtQuote: one.midAtQuote,
    feeMidAtQuote: one.feeMidAtQuote,
    value: one.quote.rate,
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
