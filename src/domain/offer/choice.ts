import { feeInTarget, netConverted } from '~/domain/convert.ts'
import { KIND_ORDER } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable, byTie, type Ranked } from '~/domain/rank.ts'
import { roundAmount } from '~/domain/round.ts'
import { type AmountMatch, matchOf, type Sending, sendingOf } from './band.ts'
import { feePercentOf, isFeeStated } from './fee.ts'
import { type FilterName, type OfferFilters, unspecifiedOf } from './filter.ts'
import { bandsKey, PLAIN } from './terms.ts'

/** A live quote, and whether it is older than a current price may be. */
export type Candidate = { readonly quote: Quote; readonly isStale: boolean }

/** An amount to send, or one to arrive. The other is null. */
export type Goal =
  | { readonly amount: number; readonly recipientGets: null }
  | { readonly amount: null; readonly recipientGets: number }

export type Ask = {
  readonly filters: OfferFilters
  /** Null where no amount is asked for: then the rate decides. */
  readonly goal: Goal | null
  /** The mid that prices a quote's fee, as `netConverted` takes it. */
  readonly feeMidOf: (quote: Quote) => number | null
}

/** A candidate that fits, and how well. */
export type Fitting<T extends Candidate> = {
  readonly candidate: T
  readonly quote: Quote
  /** The filters that it says nothing about. */
  readonly unspecified: readonly FilterName[]
  /** Null where no amount is asked for, or none can be sent. */
  readonly match: AmountMatch | null
  /** What is sent: as asked, or as is needed; null as `match` is. */
  readonly sent: number | null
  /**
   * What it is ranked by, greatest first: the rate, the net amount as shown, or how little is sent.
   * Null is last.
   */
  readonly value: number | null
}

/**
 * The offer of each provider that answers the question, ranked.
 *
 * It is the first of those that fit by `byPreference`; a provider none of whose offers fits is not
 * there.
 */
export function choiceOf<T extends Candidate>(candidates: readonly T[], ask: Ask): Fitting<T>[] {
  return firstOfEach(fittingOf(candidates, ask), ({ quote }) => quote.providerId)
}

/**
 * Every offer that answers the question, ranked: one of those that differ in nothing but their
 * amounts, the first by `byPreference`.
 */
export function everyOffer<T extends Candidate>(candidates: readonly T[], ask: Ask): Fitting<T>[] {
  return firstOfEach(fittingOf(candidates, ask), offerOf)
}

/**
 * The best executable entry by `value` of those that say all that is asked, and of the silent ones
 * where there is no other; null without one.
 */
export const bestFitting = <T extends Ranked>(
  entries: readonly T[],
  unspecifiedOf: (entry: T) => readonly FilterName[],
): T | null =>
  bestExecutable(entries.filter((entry) => unspecifiedOf(entry).length === 0)) ??
  bestExecutable(entries)

/** A text that tells offers apart by provider and all but their amounts. */
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
    const unspecified = unspecifiedOf(quote, ask.filters)
    return unspecified ? [{ candidate, quote, unspecified, ...placed(quote, ask) }] : []
  })
}

function placed(
  quote: Quote,
  { goal, feeMidOf }: Ask,
): Pick<Fitting<Candidate>, 'match' | 'sent' | 'value'> {
  if (goal === null) return { match: null, sent: null, value: quote.rate }
  const feeMid = feeMidOf(quote)
  if (goal.recipientGets === null) {
    const { amount } = goal
    const net = netConverted(quote, amount, feeMid)
    return { match: matchOf(quote, amount), sent: amount, value: net && roundAmount(net) }
  }
  const sending: Sending | null = sendingOf(quote, goal.recipientGets, feeMid)
  if (!sending) return { match: null, sent: null, value: null }
  return { ...sending, value: -sending.sent }
}

type Judged = Fitting<Candidate>

/**
 * Which offer of one provider is taken. In this order: those that say all that is asked come before
 * those that are silent, those by which the amount can be sent at all before others, those that are
 * not stale before stale ones, those that cover the amount before the nearest, the nearer before
 * the farther, the greater value before the smaller; without an amount the smaller fee; then as
 * `byTie` has it.
 */
function byPreference(a: Judged, b: Judged): number {
  return (
    silence(a) - silence(b) ||
    Number(a.match === null) - Number(b.match === null) ||
    Number(a.candidate.isStale) - Number(b.candidate.isStale) ||
    distance(a) - distance(b) ||
    (a.match?.ratio ?? 1) - (b.match?.ratio ?? 1) ||
    byValue(a.value, b.value) ||
    (isByRate(a) ? byFee(a.quote, b.quote) : 0) ||
    byTie(a, b)
  )
}

/** The order of a list: by kind, those that say all that is asked first, then by value. */
function byRank(a: Judged, b: Judged): number {
  return (
    KIND_ORDER[a.quote.rateType] - KIND_ORDER[b.quote.rateType] ||
    silence(a) - silence(b) ||
    byValue(a.value, b.value) ||
    byTie(a, b)
  )
}

/** Whether no amount was asked for, among those of one value. */
const isByRate = ({ sent, value }: Judged): boolean => sent === null && value !== null

const silence = ({ unspecified }: Judged): number => Math.sign(unspecified.length)

const distance = ({ match }: Judged): number => Number(match?.match === 'nearest')

function byValue(a: number | null, b: number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  return b === null ? -1 : b - a
}

/**
 * The smaller fee first, then the smaller percentage. A fee that cannot be compared, because it is
 * in a third currency, comes after those, and one that nobody stated comes last.
 */
function byFee(a: Quote, b: Quote): number {
  return (
    Number(isFeeStated(b)) - Number(isFeeStated(a)) ||
    byValue(negative(feeInTarget(a, null)), negative(feeInTarget(b, null))) ||
    feePercentOf(a) - feePercentOf(b)
  )
}

const negative = (fee: number | null): number | null => (fee === null ? null : -fee)
