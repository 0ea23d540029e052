import { feeInTarget, netConverted } from '~/domain/convert.ts'
import type { Suspicion } from '~/domain/price/suspect.ts'
import type { Provider } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { byRank, byTie, byValue, type Ranked, STANDING, silence } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { type AmountMatch, matchOf, sendingOf } from './band.ts'
import { feePercentOf, isFeeStated } from './fee.ts'
import { type FilterName, type OfferFilters, unspecifiedOf } from './filter.ts'
import { bandsKey, PLAIN } from './terms.ts'

/** A live quote, whether it is older than a current price may be, and why it is not believed. */
export type Candidate = {
  readonly quote: Quote
  readonly isStale: boolean
  /** Null for a quote that is believed. */
  readonly suspect: Suspicion | null
  /** The provider, if known. */
  readonly provider?: Pick<Provider, 'transferTime'>
}

/** An amount to send, or one to arrive. The other is null. */
export type Goal =
  | { readonly amount: number; readonly recipientGets: null }
  | { readonly amount: null; readonly recipientGets: number }

export type Ask = {
  readonly filters: OfferFilters
  /** Null if no amount was requested: then the rate decides. */
  readonly goal: Goal | null
  /** The mid that prices a quote's fee, as `netConverted` takes it. */
  readonly feeMidOf: (quote: Quote) => number | null
}

/** A candidate that fits, and how well. Its value is the rate if no amount was requested. */
export type Fitting<T extends Candidate> = Ranked & {
  readonly candidate: T
  readonly unspecified: readonly FilterName[]
  /** Null if no amount was requested, or none can be sent. */
  readonly match: AmountMatch | null
  /** Sent amount: as requested, or as needed; null if no amount is known to suffice. */
  readonly sent: number | null
  /** Says whether `sent` is the offer's minimum, and less would do. */
  readonly isMinimum: boolean
  /**
   * Value by which offers are compared, greatest first. For the nearest amount it is in proportion
   * to that at the amount of the offer, if the fee is known.
   */
  readonly worth: number | null
}

/**
 * Returns each provider's offer for the request, ranked.
 *
 * It is the first fitting offer by `byPreference`; a provider without a fitting offer is absent.
 */
export function choiceOf<T extends Candidate>(candidates: readonly T[], ask: Ask): Fitting<T>[] {
  return firstOfEach(fittingOf(candidates, ask), ({ quote }) => quote.providerId)
}

/**
 * Returns every offer for the request, ranked. Of offers that differ only in their amounts, the
 * first by `byPreference` counts for an amount; without an amount all are returned.
 */
export function everyOffer<T extends Candidate>(candidates: readonly T[], ask: Ask): Fitting<T>[] {
  const fitting = fittingOf(candidates, ask)
  return ask.goal === null ? fitting.sort(byRank) : firstOfEach(fitting, offerOf)
}

/** A string that differs for offers that differ in more than their amounts. */
export const offerOf = ({ quote }: Pick<Candidate, 'quote'>): string =>
  `${quote.providerId} ${bandsKey(quote.offer ?? PLAIN)}`

function firstOfEach<T extends Candidate>(
  fitting: readonly Fitting<T>[],
  keyOf: (one: Fitting<T>) => string,
): Fitting<T>[] {
  const first = new Map<string, Fitting<T>>()
  for (const one of fitting) {
    const key = keyOf(one)
    const other = first.get(key)
    if (!other || byPreference(one, other) < 0) first.set(key, one)
  }
  return [...first.values()].sort(byRank)
}

function fittingOf<T extends Candidate>(candidates: readonly T[], ask: Ask): Fitting<T>[] {
  return candidates.flatMap((candidate) => {
    const { quote } = candidate
    const unspecified = unspecifiedOf(candidate, ask.filters)
    return unspecified ? [{ candidate, quote, unspecified, ...placed(candidate, ask) }] : []
  })
}

type Placed = Pick<
  Fitting<Candidate>,
  'match' | 'sent' | 'isMinimum' | 'standing' | 'value' | 'second' | 'worth'
>

function placed({ quote, suspect }: Candidate, { goal, feeMidOf }: Ask): Placed {
  const standing = suspect ? STANDING.suspect : STANDING.usual
  const unsent = { match: null, sent: null, isMinimum: false, standing, second: null }
  if (goal === null) return { ...unsent, value: quote.rate, worth: quote.rate }
  const feeMid = feeMidOf(quote)
  if (goal.recipientGets === null) {
    const { amount: sent } = goal
    const match = matchOf(quote, sent)
    if (match.match === 'out_of_range') return { ...unsent, sent, ...farOf(quote, match) }
    const net = netConverted(quote, sent, feeMid)
    const value = net && roundAmount(net)
    if (value === null || match.match === 'exact')
      return { ...unsent, match, sent, value, worth: value }
    return {
      ...unsent,
      match,
      sent,
      value,
      worth: roundAmount(yieldAt(quote, match, feeMid) * sent),
    }
  }
  const sending = sendingOf(quote, goal.recipientGets, feeMid)
  if (!sending) return { ...unsent, value: null, worth: null }
  const { sent, match, isMinimum } = sending
  if (sent === null) return { ...unsent, ...farOf(quote, match) }
  const net = netConverted(quote, sent, feeMid)
  const second = net && roundAmount(net)
  const worth =
    match.match === 'exact'
      ? -sent
      : -goal.recipientGets / Math.max(yieldAt(quote, match, feeMid), 0)
  return { match, sent, isMinimum, standing, value: -sent, second, worth }
}

/** Yield of each unit sent, at the amount that the offer's price is for. */
const yieldAt = (quote: Quote, { atAmount }: AmountMatch, feeMid: number | null): number =>
  roundAmount(netConverted(quote, atAmount, feeMid)!) / atAmount

/** The place of an offer that says nothing about the amount: by how far away it is, then rate. */
const farOf = ({ rate }: Quote, match: AmountMatch) => ({
  match,
  standing: STANDING.outOfRange,
  value: -match.ratio,
  worth: -match.ratio,
  second: rate,
})

type Placeable = Fitting<Candidate>

/**
 * The order in which one offer of a provider is chosen. It prefers, in this order: believed offers
 * about the amount, then suspect ones, then offers for other amounts; offers that state every
 * requested condition; offers with a value; offers that are not stale; offers that cover the
 * amount, then the nearest; the greater worth; without an amount the smaller fee; then the order of
 * `byTie`.
 */
function byPreference(a: Placeable, b: Placeable): number {
  return (
    a.standing - b.standing ||
    silence(a) - silence(b) ||
    Number(a.value === null) - Number(b.value === null) ||
    Number(a.candidate.isStale) - Number(b.candidate.isStale) ||
    (a.match?.ratio ?? 1) - (b.match?.ratio ?? 1) ||
    byValue(a.worth, b.worth) ||
    byValue(a.second, b.second) ||
    (isByRate(a) ? byFee(a.quote, b.quote) : 0) ||
    byTie(a, b)
  )
}

/** Reports whether no amount was requested, among those of one value. */
const isByRate = ({ match, value }: Placeable): boolean => match === null && value !== null

/**
 * The smaller fee first, then the smaller percentage. A fee in a third currency cannot be compared
 * and comes after these; an unstated fee comes last.
 */
function byFee(a: Quote, b: Quote): number {
  return (
    Number(isFeeStated(b)) - Number(isFeeStated(a)) ||
    byValue(negative(feeInTarget(a, null)), negative(feeInTarget(b, null))) ||
    feePercentOf(a) - feePercentOf(b)
  )
}

const negative = (fee: number | null): number | null => (fee === null ? null : -fee)
