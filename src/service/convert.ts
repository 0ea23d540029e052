import { netConverted, thirdFeeCurrency } from '~/domain/convert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Goal } from '~/domain/offer/choice.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { type Cost, costOf } from '~/domain/price/cost.ts'
import { sendAmount } from '~/domain/price/send-amount.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byKindThenValue } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Absence, absenceOf } from './absence.ts'
import { supportedCorridor } from './supported.ts'

export type Conversion = {
  readonly ranked: RankedQuote
  readonly vsMidBps: number | null
  /**
   * What is sent, in the source currency; null where no amount makes as much arrive as is asked.
   */
  readonly sent: number | null
  /** The amount before fees, in the target currency; null where no amount is sent. */
  readonly converted: number | null
  /**
   * The amount after fees, in the target currency; null when the fee's currency has no recent mid.
   */
  readonly net: number | null
  /**
   * What it costs by the mids of the quote's own day; null where nobody stated a fee or a mid of
   * that day is missing.
   */
  readonly cost: Cost | null
}

export type Conversions = {
  readonly corridor: Corridor
  /** What is sent: as asked, or by the best entry; null without one. */
  readonly amount: number | null
  /** What is to arrive, where that was asked. */
  readonly recipientGets: number | null
  readonly mid: Mid | null
  /** The best net above zero among the executable entries, or null. */
  readonly best: Conversion | null
  /** As `best`, among those that are not stale and whose fee is stated. */
  readonly bestCurrent: Conversion | null
  /** Why there are no entries; null where there are some. */
  readonly absence: Absence | null
  /**
   * Entries by kind, best net as shown first within a kind, or least sent where the amount to
   * arrive was asked; entries without such a figure last.
   */
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
  /** Why there are no quotes; null where there are some. */
  readonly absence: Absence | null
}

export type FeeMids = ReadonlyMap<string, number>

/** The prices of a corridor, and what is asked of them. */
export type Priced = { readonly prices: Prices; readonly goal: Goal }

/**
 * What each provider of a corridor turns an amount of the source currency into, or how much of it
 * each takes for an amount to arrive.
 *
 * Throws `unsupported_currency` and `same_currency`; amounts must have been checked already.
 */
export const convert = (view: View, question: Question): Conversions =>
  converted(priced(view, question))

type Question = Corridor & { readonly goal: Goal; readonly selection?: Selection }

/** The prices that `converted` needs. Throws as `convert` does. */
export function priced(view: View, { goal, selection = UNSELECTED, ...pair }: Question): Priced {
  const corridor = supportedCorridor(view.catalogue, pair, selection.filters)
  const { from, to } = corridor
  const mid = view.mid(from, to) ?? null
  const { quotes } = view.corridor(from, to, selection)
  const absence = quotes.length === 0 ? absenceOf(view, corridor, selection) : null
  return { prices: { corridor, mid, quotes, absence, feeMids: feeMidsOf(view, quotes) }, goal }
}

/** The conversion itself, in its plainest form. */
export function converted({ prices, goal }: Priced): Conversions {
  const { corridor, mid, quotes, absence } = prices
  const entries = quotes.map((ranked) => {
    const entry = conversionOf(ranked, prices, goal)
    return { ...entry, quote: ranked.quote, value: rankedBy(entry, goal) }
  })
  entries.sort(byKindThenValue)
  const paying = entries.filter(({ net }) => net !== null && net > 0)
  const best = bestExecutable(paying)
  const bestCurrent = bestExecutable(paying.filter(({ ranked }) => isCurrent(ranked)))
  const amount = goal.amount ?? best?.sent ?? null
  const { recipientGets } = goal
  return { corridor, amount, recipientGets, mid, best, bestCurrent, absence, entries }
}

/** What an entry is ranked by: the most that arrives as shown, or the least that is sent. */
function rankedBy({ net, sent }: Conversion, { recipientGets }: Goal): number | null {
  if (recipientGets !== null) return sent && -sent
  return net && roundAmount(net)
}

function conversionOf(ranked: RankedQuote, { mid, feeMids }: Prices, goal: Goal): Conversion {
  const { quote } = ranked
  const feeMid = feeMidOf(feeMids, quote)
  const { amount, recipientGets } = goal
  const sent = recipientGets === null ? amount : sendAmount(quote, recipientGets, feeMid)
  return {
    ranked,
    vsMidBps: mid && vsMidBps(quote.rate, mid.rate),
    sent,
    converted: sent && sent * quote.rate,
    net: sent && netConverted(quote, sent, feeMid),
    cost: sent === null ? null : costAtQuote(ranked, sent),
  }
}

/** What sending an amount costs by the mids of the quote's own day. */
function costAtQuote(ranked: RankedQuote, amount: number): Cost | null {
  const { quote, midAtQuote, feeMidAtQuote: feeMid } = ranked
  return midAtQuote && costOf(quote, amount, { mid: midAtQuote.rate, feeMid })
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
