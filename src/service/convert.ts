import { convertedAt, netConverted, thirdFeeCurrency } from '~/domain/convert.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import { type AmountMatch, type AmountRange, knownRanges } from '~/domain/offer/band.ts'
import { choiceOf, everyOffer, type Fitting, type Goal } from '~/domain/offer/choice.ts'
import { isFeeStated } from '~/domain/offer/fee.ts'
import type { OfferFilters } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { type Cost, costOf } from '~/domain/price/cost.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestOf, STANDING } from '~/domain/rank.ts'
import { believedBests, spreadBps, vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Absence, absenceOf, isUnfit } from './absence.ts'
import { supportedCorridor } from './supported.ts'

export type Conversion = {
  readonly ranked: RankedQuote
  /** Distance of its rate below the best of its kind among the entries that are not suspect. */
  readonly spreadBps: number
  readonly vsMidBps: number | null
  /** Relation of the amount to those that its offer is for; null if no amount is sent. */
  readonly match: AmountMatch | null
  /** Amount sent, in the source currency; null if no offered amount delivers what is requested. */
  readonly sent: number | null
  /** Says whether `sent` is the least that the offer is for, and less would do. */
  readonly isMinimum: boolean
  /** The amount before fees, in the target currency; null if no amount is sent. */
  readonly converted: number | null
  /**
   * The amount after fees, in the target currency; null when the fee's currency has no recent mid,
   * and if the offer says nothing about the amount.
   */
  readonly net: number | null
  /**
   * Cost by the mids of the quote's own day, at the amount sent or the nearest that its offer is
   * for; null if the fee is not stated, a mid of that day is missing, or the offer says nothing
   * about the amount.
   */
  readonly cost: Cost | null
}

/** A conversion with the place that its offer took. */
type Entry = Conversion & { readonly fitting: Fitting<RankedQuote> }

export type Conversions = {
  readonly corridor: Corridor
  /** Sent amount: as requested, or by the best entry; null without one. */
  readonly amount: number | null
  /** Amount that is to arrive, if that was requested. */
  readonly recipientGets: number | null
  readonly mid: Mid | null
  /**
   * The best net above zero among the executable entries, neither suspect nor out of range; only
   * those that state every requested condition, if any do. Null without one.
   */
  readonly best: Conversion | null
  /**
   * As `best`, among those that are not stale and whose fee is stated. Prices for the nearest
   * amount are compared at the amounts they are for.
   */
  readonly bestCurrent: Conversion | null
  /** Reason why no best is given although executable prices are shown; null otherwise. */
  readonly lack: Lack | null
  /** Reason why no entry fits; null if one does. */
  readonly absence: Absence | null
  readonly filters: OfferFilters
  /**
   * Entries by kind, then best net as shown, or least sent if the amount to arrive was given;
   * entries without such a number last.
   */
  readonly entries: readonly Entry[]
}

/** Reason why none of the executable prices is the best. */
export type Lack =
  | { readonly reason: 'suspect' }
  | { readonly reason: 'out_of_range'; readonly known: readonly AmountRange[] }

/** Prices of a corridor's conversion, which do not depend on the amount. */
export type Prices = {
  readonly corridor: Corridor
  readonly mid: Mid | null
  /** Everything that was selected; the very same list while nothing changes. */
  readonly offers: readonly RankedQuote[]
  readonly selection: Selection
  /** Value of each third currency that a fee is charged in, in units of the target currency. */
  readonly feeMids: FeeMids
  /** Reason why no offer fits; null if one does. */
  readonly absence: Absence | null
}

export type FeeMids = ReadonlyMap<string, number>

/** The prices of a corridor, and the requested amount. */
export type Priced = { readonly prices: Prices; readonly goal: Goal }

/**
 * Amount that each provider of a corridor pays out for one of the source currency, or takes for one
 * to arrive.
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
  const { offers } = view.corridor(from, to, selection)
  const isAbsent = isUnfit(offers, () => view.offers(corridor.from, corridor.to))
  const absence = isAbsent ? absenceOf(view, corridor, selection) : null
  const feeMids = feeMidsOf(view, offers)
  return { prices: { corridor, mid, offers, selection, absence, feeMids }, goal }
}

/** The conversion itself, in its plainest form. */
export function converted({ prices, goal }: Priced): Conversions {
  const { corridor, mid, offers, feeMids, selection, absence } = prices
  const { filters, isEvery } = selection
  const choice = isEvery ? everyOffer : choiceOf
  const chosen = choice(offers, { filters, goal, feeMidOf: (quote) => feeMidOf(feeMids, quote) })
  const bests = believedBests(chosen.map(({ candidate }) => candidate))
  const entries = chosen.map((one) => ({
    ...conversionOf(one, spreadBps(one.quote, bests), prices),
    fitting: one,
  }))
  const { best, bestCurrent } = bestsAmong(entries)
  const amount = goal.amount ?? best?.sent ?? null
  const { recipientGets } = goal
  const lack = best ? null : lackOf(offers, chosen)
  const bestOnes = { best, bestCurrent, lack }
  return { corridor, amount, recipientGets, mid, ...bestOnes, absence, filters, entries }
}

function bestsAmong(entries: readonly Entry[]) {
  const paying = entries.filter(({ net }) => net !== null && net > 0)
  const bestBy = (by: 'value' | 'worth', some: readonly Entry[]) =>
    bestOf(some.map((entry) => ({ ...entry.fitting, value: entry.fitting[by], entry })))?.entry ??
    null
  const current = paying.filter(({ ranked }) => isCurrent(ranked))
  return { best: bestBy('value', paying), bestCurrent: bestBy('worth', current) }
}

/** A conversion with some of its entries alone; the best ones are of these. */
export function amongSome(found: Conversions, isWanted: (one: Conversion) => boolean): Conversions {
  const entries = found.entries.filter(isWanted)
  const bests = bestsAmong(entries)
  const amount = found.recipientGets === null ? found.amount : (bests.best?.sent ?? null)
  return { ...found, ...bests, amount, entries }
}

/** Reason why the chosen offers have no best: all executable ones are suspect or out of range. */
export function lackOf(
  offers: readonly RankedQuote[],
  chosen: readonly Pick<Fitting<RankedQuote>, 'quote' | 'standing'>[],
): Lack | null {
  const executable = chosen.filter(({ quote }) => isExecutable(quote.rateType))
  if (executable.length === 0) return null
  if (executable.some(({ standing }) => standing === STANDING.usual)) return null
  const believed = offers.filter(({ quote, suspect }) => isExecutable(quote.rateType) && !suspect)
  if (believed.length === 0) return { reason: 'suspect' }
  return { reason: 'out_of_range', known: knownRanges(believed.map(({ quote }) => quote)) }
}

function conversionOf(
  { candidate: ranked, match, sent, isMinimum }: Fitting<RankedQuote>,
  spreadBps: number,
  { mid, feeMids }: Prices,
): Conversion {
  const { quote } = ranked
  const priced = match?.match === 'out_of_range' ? null : match
  return {
    ranked,
    spreadBps,
    vsMidBps: mid && vsMidBps(quote.rate, mid.rate),
    match,
    sent,
    isMinimum,
    converted: sent && convertedAt(quote.rate, sent),
    net: priced && sent && netConverted(quote, sent, feeMidOf(feeMids, quote)),
    cost: priced && costAtQuote(ranked, priced.atAmount),
  }
}

/** Cost of sending an amount by the mids of the quote's own day; null if unknown. */
export function costAtQuote(ranked: RankedQuote, amount: number): Cost | null {
  const { quote, midAtQuote, feeMidAtQuote: feeMid } = ranked
  return midAtQuote && costOf(quote, amount, { mid: midAtQuote.rate, feeMid })
}

/** Reports whether a quote can be the best current one: fresh, not suspect, its fee stated. */
export const isCurrent = ({ quote, isStale, suspect }: RankedQuote): boolean =>
  !isStale && !suspect && isFeeStated(quote)

/** The mid that prices the quote's fee; null if none is needed or none exists. */
export function feeMidOf(feeMids: FeeMids, quote: Quote): number | null {
  const feeCurrency = thirdFeeCurrency(quote)
  return feeCurrency === null ? null : (feeMids.get(feeCurrency) ?? null)
}

/** Cache 8 of a read, see docs/architecture.md. */
const thirdCurrencies = new WeakMap<readonly RankedQuote[], ReadonlySet<string>>()
const NO_MIDS: FeeMids = new Map()

function feeMidsOf(view: View, offers: readonly RankedQuote[]): FeeMids {
  const [first] = offers
  if (!first) return NO_MIDS
  let currencies = thirdCurrencies.get(offers)
  if (!currencies) {
    const all = offers.map(({ quote }) => thirdFeeCurrency(quote))
    currencies = new Set(all.filter((code) => code !== null))
    thirdCurrencies.set(offers, currencies)
  }
  if (currencies.size === 0) return NO_MIDS
  const mids = new Map<string, number>()
  for (const code of currencies) {
    const mid = view.mid(code, first.quote.to)
    if (mid) mids.set(code, mid.rate)
  }
  return mids
}
