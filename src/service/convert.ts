import { netConverted, thirdFeeCurrency } from '~/domain/convert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { supportedCorridor } from './supported.ts'

export type Conversion = {
  readonly ranked: RankedQuote
  readonly vsMidBps: number | null
  /** The amount before fees, in the target currency. */
  readonly converted: number
  /**
   * The amount after fees, in the target currency; null when the fee's currency has no recent mid.
   */
  readonly net: number | null
}

export type Conversions = {
  readonly corridor: Corridor
  readonly amount: number
  readonly mid: Mid | null
  /** The best net above zero among the executable entries, or null. */
  readonly best: Conversion | null
  /** As `best`, among those that are not stale and whose fee is stated. */
  readonly bestCurrent: Conversion | null
  /** Entries by kind, best net as shown first within a kind, entries without a net last. */
  readonly entries: readonly Conversion[]
}

/** What a conversion in a corridor depends on besides the amount. */
export type Prices = {
  readonly corridor: Corridor
  readonly mid: Mid | null
  /** Quotes by kind, best rate first; the very same list while nothing changes. */
  readonly quotes: readonly RankedQuote[]
  /**
   * For each third currency that a fee is charged in, its value in units of the target currency.
   */
  readonly feeMids: FeeMids
}

export type FeeMids = ReadonlyMap<string, number>

/** The prices of a corridor, and the amount of the source currency to convert. */
export type Priced = { readonly prices: Prices; readonly amount: number }

/**
 * What each provider of a corridor turns `amount` of the source currency into.
 *
 * Throws `unsupported_currency` and `same_currency`; the amount must have been checked already.
 */
export const convert = (view: View, question: Question): Conversions =>
  converted(priced(view, question))

type Question = Corridor & { readonly amount: number }

/** The prices that `converted` needs. Throws as `convert` does. */
export function priced(view: View, { amount, ...pair }: Question): Priced {
  const corridor = supportedCorridor(view.catalogue, pair)
  const { from, to } = corridor
  const mid = view.mid(from, to) ?? null
  const { quotes } = view.corridor(from, to)
  return { prices: { corridor, mid, quotes, feeMids: feeMidsOf(view, quotes) }, amount }
}

/** The conversion itself, in its plainest form. */
export function converted({ prices, amount }: Priced): Conversions {
  const { corridor, mid, quotes, feeMids } = prices
  const entries = quotes.map((ranked) => {
    const { quote } = ranked
    const net = netConverted(quote, amount, feeMidOf(feeMids, quote))
    return {
      ranked,
      quote,
      value: net && roundAmount(net),
      net,
      converted: amount * quote.rate,
      vsMidBps: mid && vsMidBps(quote.rate, mid.rate),
    }
  })
  entries.sort(byKindThenValue)
  const paying = entries.filter(({ net }) => net !== null && net > 0)
  const best = bestExecutable(paying)
  const bestCurrent = bestExecutable(paying.filter(({ ranked }) => isCurrent(ranked)))
  return { corridor, amount, mid, best, bestCurrent, entries }
}

/** Whether a quote can be the best current one: it is not stale, and its fee is stated. */
export const isCurrent = ({ quote, isStale }: RankedQuote): boolean =>
  !isStale && quote.fee !== null

/** The mid that prices the quote's fee; null where none is needed or none exists. */
export function feeMidOf(feeMids: FeeMids, quote: Quote): number | null {
  const feeCurrency = thirdFeeCurrency(quote)
  return feeCurrency === null ? null : (feeMids.get(feeCurrency) ?? null)
}

/** Cache 8 of a read, see docs/architecture.md. */
const thirdCurrencies = new WeakMap<readonly RankedQuote[], ReadonlySet<string>>()
const NO_MIDS: FeeMids = new Map()

function feeMidsOf(view: View, quotes: readonly RankedQuote[]): FeeMids {
  const [first] = quotes
  if (!first) return NO_MIDS
  let currencies = thirdCurrencies.get(quotes)
  if (!currencies) {
    const all = quotes.map(({ quote }) => thirdFeeCurrency(quote))
    currencies = new Set(all.filter((code) => code !== null))
    thirdCurrencies.set(quotes, currencies)
  }
  if (currencies.size === 0) return NO_MIDS
  const mids = new Map<string, number>()
  for (const code of currencies) {
    const mid = view.mid(code, first.quote.to)
    if (mid) mids.set(code, mid.rate)
  }
  return mids
}
