import { DAY_MS } from '~/domain/duration.ts'
import { type Cost, costOf } from '~/domain/price/cost.ts'
import type { DayMids } from '~/domain/price/day-mids.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { byTie, byValue, STANDING, type Standing } from '~/domain/rank.ts'
import { roundPercent } from '~/domain/round.ts'
import { AMOUNT_MATCHES, type AmountMatch, matchOf } from './band.ts'
import { type Candidate, offerOf } from './choice.ts'
import { arrivesWithin } from './filter.ts'
import { PLAIN } from './terms.ts'

/** A live quote with the mids of its own day. */
export type CostCandidate = Candidate &
  Pick<DayMids, 'feeMidAtQuote'> & {
    readonly midAtQuote: { readonly rate: number } | null
  }

/** Cost of an offer at the requested amount, or at the nearest that it is for. */
export type OfferCost<T> = {
  readonly candidate: T
  readonly match: AmountMatch
  readonly standing: Standing
  /** Null if the fee is not stated, a mid of that day is missing, or no amount fits. */
  readonly cost: Cost | null
}

type CostAsk = {
  readonly sourceCountry: string
  readonly targetCountry: string
  /** In the source currency of the candidates. */
  readonly amount: number
}

/** The World Bank's Smart Remitter Target: what an informed person pays, in percent. */
export type Smart<T> = {
  readonly pct: number
  readonly offers: readonly OfferCost<T>[]
  readonly unchecked: readonly SmartCondition[]
}

/**
 * Conditions of the World Bank for a service that counts, besides a fully stated price: it takes no
 * more than five days, and people can reach it by a branch nearby or by an account, a telephone or
 * a connection that they have.
 */
export const SMART_CONDITIONS = ['speed', 'accessibility'] as const
type SmartCondition = (typeof SMART_CONDITIONS)[number]

export const SMART_OFFERS = 3
const SMART_DELIVERY_MAX_MS = 5 * DAY_MS

/** Units of the last shown digit in one percent. */
const PERCENT_UNITS = 1e6

/** Goals for a pair of countries: the mean cost that it may have, in percent. */
const GOALS = { sdg3: 3, sdg5: 5, g20: 1 } as const

export type Costs<T> = {
  /** Cheapest first, then offers without a cost, then suspect ones, and last those out of range. */
  readonly offers: readonly OfferCost<T>[]
  /** Over the offers that have a cost, suspect ones too; null without one. */
  readonly averagePct: number | null
  readonly medianPct: number | null
  readonly averageExcludingSuspectPct: number | null
  /** The number of suspect offers within range, and of those out of range. */
  readonly suspectCount: number
  readonly outOfRangeCount: number
  /** Null if fewer than three offers count. */
  readonly smart: Smart<T> | null
  /** Says whether the mean as shown is no more than each goal; null without one. */
  readonly meets: Readonly<Record<keyof typeof GOALS, boolean>> | null
}

/**
 * Cost of sending an amount from one country to another, by every offer for them: one of those that
 * differ only in their amounts.
 *
 * Offers that do not name the two countries, and prices at which no money can be moved, do not
 * count: a mean of a pair of countries is one of prices for that pair.
 */
export function costsOf<T extends CostCandidate>(candidates: readonly T[], ask: CostAsk): Costs<T> {
  const first = new Map<string, OfferCost<T>>()
  for (const candidate of candidates) {
    if (!isOfCountries(candidate.quote, ask)) continue
    const key = offerOf(candidate)
    const one = costAt(candidate, ask.amount)
    const other = first.get(key)
    if (!other || byPreference(one, other) < 0) first.set(key, one)
  }
  const offers = [...first.values()].sort(byPlace)
  const averagePct = meanOf(percentsOf(offers))
  const among = (standing: Standing) => offers.filter((one) => one.standing === standing)
  const usual = among(STANDING.usual)
  return {
    offers,
    averagePct,
    medianPct: medianOf(percentsOf(offers).sort((a, b) => a - b)),
    averageExcludingSuspectPct: meanOf(percentsOf(usual)),
    suspectCount: among(STANDING.suspect).length,
    outOfRangeCount: among(STANDING.outOfRange).length,
    smart: smartOf(usual),
    meets: averagePct === null ? null : goalsMet(averagePct),
  }
}

const percentsOf = (offers: readonly Costed[]): number[] =>
  offers.flatMap(({ cost }) => (cost ? [cost.totalPct] : []))

/** Reports whether a quote is executable, and says that it is for two countries. */
export function isOfCountries(
  { offer, rateType }: Quote,
  { sourceCountry, targetCountry }: Pick<CostAsk, 'sourceCountry' | 'targetCountry'>,
): boolean {
  if (offer?.sourceCountry !== sourceCountry) return false
  return offer.targetCountry === targetCountry && isExecutable(rateType)
}

function costAt<T extends CostCandidate>(candidate: T, amount: number): OfferCost<T> {
  const { quote, midAtQuote, feeMidAtQuote: feeMid } = candidate
  const match = matchOf(quote, amount)
  if (match.match === 'out_of_range')
    return { candidate, match, standing: STANDING.outOfRange, cost: null }
  const standing = candidate.suspect ? STANDING.suspect : STANDING.usual
  const cost = midAtQuote && costOf(quote, match.atAmount, { mid: midAtQuote.rate, feeMid })
  return { candidate, match, standing, cost }
}

type Costed = OfferCost<Candidate>

/** The order of offers by amount, with the cost instead of the net amount. */
function byPreference(a: Costed, b: Costed): number {
  return (
    nearness(a) - nearness(b) ||
    Number(a.candidate.isStale) - Number(b.candidate.isStale) ||
    a.match.ratio - b.match.ratio ||
    byCost(a, b)
  )
}

const nearness = ({ match }: Costed): number => AMOUNT_MATCHES.indexOf(match.match)

function byPlace(a: Costed, b: Costed): number {
  const isFar = a.standing === STANDING.outOfRange
  return a.standing - b.standing || (isFar ? byDistance(a, b) : byCost(a, b))
}

function byDistance(a: Costed, b: Costed): number {
  const rates = byValue(a.candidate.quote.rate, b.candidate.quote.rate)
  return a.match.ratio - b.match.ratio || rates || byTie(a.candidate, b.candidate)
}

function byCost(a: Costed, b: Costed): number {
  if (!a.cost || !b.cost)
    return Number(!a.cost) - Number(!b.cost) || byTie(a.candidate, b.candidate)
  const apart = roundPercent(a.cost.totalPct) - roundPercent(b.cost.totalPct)
  return apart || byTie(a.candidate, b.candidate)
}

/** `offers` are in order of their cost. An offer that does not say how fast it is counts. */
function smartOf<T extends CostCandidate>(offers: readonly OfferCost<T>[]): Smart<T> | null {
  const speeds = new Map<OfferCost<T>, boolean | null>()
  for (const one of offers) {
    const isFast = arrivesWithin(one.candidate.quote.offer ?? PLAIN, SMART_DELIVERY_MAX_MS)
    if (one.cost && isFast !== false) speeds.set(one, isFast)
    if (speeds.size === SMART_OFFERS) break
  }
  if (speeds.size < SMART_OFFERS) return null
  const cheapest = [...speeds.keys()]
  const isSpeedKnown = [...speeds.values()].every((isFast) => isFast !== null)
  return {
    pct: meanOf(cheapest.map(({ cost }) => cost!.totalPct))!,
    offers: cheapest,
    unchecked: SMART_CONDITIONS.filter((name) => name !== 'speed' || !isSpeedKnown),
  }
}

const goalsMet = (averagePct: number) => ({
  sdg3: averagePct <= GOALS.sdg3,
  sdg5: averagePct <= GOALS.sdg5,
  g20: averagePct <= GOALS.g20,
})

/**
 * The mean of percentages as shown, rounded as they are. Their digits are added as whole numbers,
 * since doubles put half of a digit on either side: 0.0019945, of 0.001994 and 0.001995.
 */
export function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sum = values.reduce((total, value) => total + Math.round(value * PERCENT_UNITS), 0)
  return Math.round(sum / values.length) / PERCENT_UNITS + 0
}

/** The middle of percentages in ascending order, or the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number | null {
  const middle = values.length / 2
  return meanOf(values.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1))
}
