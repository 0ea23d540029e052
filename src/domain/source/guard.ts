import { DAY_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { isWithin, pegFault } from '~/domain/feed/guard.ts'
import type { BankDay, BankRate, Span } from './day.ts'
import { priceOf, type SourcePrice } from './price.ts'
import { dateIn } from './zone.ts'

/** A rate that a bank states, for one unit of the foreign currency, and when it holds from. */
export type StatedPrice = SourcePrice & { readonly from: string; readonly atMs: number }

/** A rate that was recorded of a bank. */
export type KnownPrice = { readonly from: string; readonly atMs: number; readonly rate: string }

/**
 * The bounds of credible rates. A rate may be that far off its mid, as a share; further only if the
 * bank stated about as much within the last days. Without a mid, it may have moved that far since
 * the nearest known day, and from an earlier statement for the very day: every devaluation of an
 * official rate in Africa since 2020 is smaller, and an inverted or tenfold rate is not.
 */
const MID_OFF_MAX = 0.25
const HABIT_MOVE_MAX = 0.1
const HABIT_MS_MAX = 14 * DAY_MS
const MOVE_MAX = 0.75
/** Share of a day's rates rejected above which none is accepted: the format has changed. */
const REFUSED_SHARE_MAX = 0.25
/** Some banks publish on a Friday what holds from Monday; a date beyond is wrong. */
const AHEAD_MS_MAX = 8 * DAY_MS
/** The maximum number of refusals that are retained to be reported. */
const REFUSED_MAX = 20

/**
 * The days of a response that lie in a span, each whole, the oldest first; if none does, the newest
 * alone, unless `isStrict`. Future days are left out.
 *
 * Throws a FeedError for an impossible date, whichever day has it.
 */
export function daysWithin(days: readonly BankDay[], window: Window): BankDay[] {
  const { sinceMs, untilMs, isStrict, timeZone, nowMs } = window
  for (const { atMs } of days) {
    if (!Number.isSafeInteger(atMs)) throw implausible('gives a date that cannot be understood')
    if (atMs > nowMs + AHEAD_MS_MAX)
      throw implausible(`dates rates ${dateIn(atMs, timeZone)}, which is in the future`)
  }
  const byTime = Map.groupBy(days, ({ atMs }) => atMs)
  const whole = [...byTime].map(([atMs, parts]) => ({
    atMs,
    rates: parts.flatMap(({ rates }) => rates),
  }))
  const come = whole.filter(({ atMs }) => atMs <= nowMs).sort((a, b) => a.atMs - b.atMs)
  const within = come.filter(({ atMs }) => atMs >= sinceMs && atMs <= untilMs)
  return within.length > 0 || isStrict ? within : come.slice(-1)
}

type Window = Span & {
  readonly isStrict: boolean
  readonly timeZone: string
  readonly nowMs: number
}

type GuardInput = {
  /** Each whole, the oldest first. */
  readonly days: readonly BankDay[]
  readonly currency: string
  readonly timeZone: string
  /** Reports whether a currency is one that the service knows; rates of others are left out. */
  isKnown(code: string): boolean
  /** The mid of a foreign currency about that time; null if there is none. */
  midOf(code: string, atMs: number): number | null
  /** Prices recorded around those days. */
  readonly known: readonly KnownPrice[]
}

export type Evaluation = {
  readonly accepted: readonly StatedPrice[]
  /** Rejected rates, each a sentence that follows the bank's name. */
  readonly refused: readonly string[]
  /** The codes that the service does not know. */
  readonly unknown: readonly string[]
}

/**
 * Evaluates a bank's days, in their order.
 *
 * A rate is refused by itself when it is not a price, is stated twice and differently, or lies too
 * far from its mid and from what is known; a day is too if this applies to a good part, or if it
 * contradicts pegs that have held for decades. Throws a FeedError `implausible`, so that nothing
 * counts, if this applies to the newest day or a good part of all: then units, direction or columns
 * have changed.
 */
export function evaluationOf(input: GuardInput): Evaluation {
  const { days, currency, isKnown } = input
  const trail = new Trail(input.known)
  const unknown = new Set<string>()
  const read = days.map((day): ReadDay => {
    const known = day.rates.filter(({ currency: code }) => {
      if (!isKnown(code)) unknown.add(code)
      return isKnown(code) && code !== currency
    })
    const found = readDay({ ...day, rates: known }, input, trail)
    for (const price of found.stated) trail.add(price)
    return found
  })
  const whole = read.flatMap(({ fault }) => (fault ? [fault] : []))
  const newest = read.at(-1)?.fault ?? null
  if (newest !== null || whole.length > read.length * REFUSED_SHARE_MAX)
    throw implausible(newest ?? whole[0]!)
  return {
    accepted: read.flatMap(({ stated }) => stated),
    refused: read.flatMap(({ faults }) => faults).slice(0, REFUSED_MAX),
    unknown: [...unknown],
  }
}

/** Accepted rates of a day; `fault` says why there are none. */
type ReadDay = {
  readonly stated: readonly StatedPrice[]
  readonly faults: readonly string[]
  readonly fault: string | null
}

function readDay({ atMs, rates }: BankDay, input: GuardInput, trail: Trail): ReadDay {
  const { currency, timeZone } = input
  const date = dateIn(atMs, timeZone)
  const stated: StatedPrice[] = []
  const faults: string[] = []
  for (const same of Map.groupBy(rates, (rate) => rate.currency).values()) {
    const found = statedOf(same, { currency, atMs })
    const fault = typeof found === 'string' ? found : distanceFault(found, input, trail)
    if (fault !== null) faults.push(`${fault} (${date})`)
    else if (typeof found !== 'string') stated.push(found)
  }
  const fault = dayFault({ stated, faults, date })
  return fault === null ? { stated, faults, fault } : { stated: [], faults: [fault], fault }
}

type Place = { readonly currency: string; readonly atMs: number }

/** Price of one currency on one day; a sentence if the rates are not one. */
function statedOf(rates: readonly BankRate[], { currency, atMs }: Place): StatedPrice | string {
  const [first, ...others] = rates.map((rate) => priceOf(rate, currency))
  const [{ currency: from } = { currency: '' }] = rates
  if (typeof first !== 'object') return first!
  const isOne = others.every((other) => typeof other === 'object' && other.rate === first.rate)
  return isOne ? { ...first, from, atMs } : `gives ${from} twice, differently`
}

function distanceFault(
  price: StatedPrice,
  { midOf, timeZone }: GuardInput,
  trail: Trail,
): string | null {
  const { from, atMs } = price
  const rate = Number(price.rate)
  const mid = midOf(from, atMs)
  if (mid !== null && isWithin(rate, mid, MID_OFF_MAX)) return null
  const sameDay = trail.at(from, atMs)
  if (sameDay !== null && !isWithin(rate, Number(sameDay.rate), MOVE_MAX))
    return `gives ${from} as ${price.rate} where it gave ${sameDay.rate} for the same day`
  const known = trail.nearest(from, atMs)
  if (mid !== null) {
    const isRecent = known !== null && Math.abs(known.atMs - atMs) <= HABIT_MS_MAX
    const isHabit = isRecent && isWithin(rate, Number(known.rate), HABIT_MOVE_MAX)
    return isHabit ? null : `gives ${from} as ${price.rate} where the mid is ${rounded(mid)}`
  }
  if (known === null || isWithin(rate, Number(known.rate), MOVE_MAX)) return null
  const day = dateIn(known.atMs, timeZone)
  return `gives ${from} as ${price.rate} where it was ${known.rate} on ${day}`
}

type Read = {
  readonly stated: readonly StatedPrice[]
  readonly faults: readonly string[]
  readonly date: string
}

/** The reason to reject a whole day, or null. */
function dayFault({ stated, faults, date }: Read): string | null {
  const count = stated.length + faults.length
  const isMany = faults.length >= 2 && faults.length > count * REFUSED_SHARE_MAX
  if (isMany || (count > 0 && stated.length === 0))
    return `states ${faults.length} of ${count} rates that cannot be: ${faults[0]}`
  const usd = stated.find(({ from }) => from === 'USD')
  if (!usd) return null
  const perUsd = new Map(
    stated.map(({ from, rate }) => [from, String(Number(usd.rate) / Number(rate))]),
  )
  const fault = pegFault({ perUsd })
  return fault && `${fault} (${date})`
}

/** Known prices of each currency, to find the nearest in time; grows with accepted prices. */
class Trail {
  readonly #byCode = new Map<string, KnownPrice[]>()

  constructor(known: readonly KnownPrice[]) {
    for (const price of known) this.add(price)
  }

  add(price: KnownPrice): void {
    this.#byCode.getOrInsert(price.from, []).push(price)
  }

  /** Known price of that very time; null if there is none. */
  at(from: string, atMs: number): KnownPrice | null {
    return this.#byCode.get(from)?.find((price) => price.atMs === atMs) ?? null
  }

  /** The nearest of another time; of two equally near ones the one added last. */
  nearest(from: string, atMs: number): KnownPrice | null {
    let nearest: KnownPrice | null = null
    for (const price of this.#byCode.get(from) ?? [])
      if (price.atMs !== atMs && !(distance(nearest, atMs) < distance(price, atMs))) nearest = price
    return nearest
  }
}

const distance = (price: KnownPrice | null, atMs: number): number =>
  price === null ? Number.POSITIVE_INFINITY : Math.abs(price.atMs - atMs)

const implausible = (text: string) => new FeedError('implausible', text)

const rounded = (value: number): number => Number(value.toPrecision(6))
