import { plainDecimal } from '~/domain/decimal.ts'
import type { FeedBasis } from '~/domain/mid.ts'
import { isWithin } from './guard.ts'

/** One feed's value of a currency in units per USD, exact and as a number. */
type Opinion = {
  readonly answer: { readonly source: string; readonly origin: string }
  readonly text: string
  readonly value: number
}

/** The feeds behind the value of a currency after a run. Plain data, saved between runs. */
export type Support = {
  readonly currency: string
  /** `consensus`: two or more agree; `single`: one is known; `disputed`: several disagree. */
  readonly basis: FeedBasis
  /** Half the range of the values used, in basis points of the result; null unless they agree. */
  readonly dispersionBps: number | null
  /** The last move by more than 5 % that one feed alone made, for a day; null without one. */
  readonly moved?: { readonly pct: number; readonly atMs: number } | null
  /** The values that were not used because they disagree. */
  readonly left: readonly { readonly source: string; readonly perUsd: string }[]
}

type Agreement<T> = { readonly text: string; readonly dispersionBps: number; readonly used: T[] }

/** The largest ratio minus one between two feeds, without a third, that agree. */
const PAIR_MAX = 0.02
/** The distance from the median, as a share of it, at which a feed is not excluded yet. */
const FAR_SHARE = 0.05
/** Distance in median absolute deviations; the larger of the two counts. */
const FAR_DEVIATIONS = 10

/** The first opinion of each origin: a feed that republishes another one adds no evidence. */
export const independent = <T extends Opinion>(opinions: readonly T[]): T[] =>
  opinions.filter(
    ({ answer }, i) => opinions.findIndex((one) => one.answer.origin === answer.origin) === i,
  )

/**
 * The value on which two or more independent feeds agree; null without one. Values are positive.
 *
 * Two feeds agree within 2 %, on their mean. Of three or more, those further from the median than
 * the greater of 5 % and ten median absolute deviations are excluded, and the median of the others
 * counts if at least two of them are within 5 % of it. With three feeds one wrong value, of any
 * size, leaves the result between the two others.
 */
export function agreementOf<T extends Opinion>(opinions: readonly T[]): Agreement<T> | null {
  const all = independent(opinions).sort((a, b) => a.value - b.value)
  if (all.length < 2) return null
  const used = all.length === 2 ? all : nearMedian(all)
  const middle = medianOf(used.map(({ value }) => value))
  const [low, high] = [used[0]!.value, used.at(-1)!.value]
  const isAgreed =
    all.length === 2
      ? isWithin(low, high, PAIR_MAX)
      : used.filter(({ value }) => Math.abs(value - middle) <= FAR_SHARE * middle).length >= 2
  if (!isAgreed) return null
  const exact = used.length % 2 === 1 ? used[used.length >> 1]!.text : null
  return {
    text: exact ?? plainDecimal(String(Number(middle.toPrecision(15)))),
    dispersionBps: ((high - low) / 2 / middle) * 10_000,
    used: opinions.filter((one) => used.includes(one)),
  }
}

function nearMedian<T extends Opinion>(sorted: readonly T[]): T[] {
  const middle = medianOf(sorted.map(({ value }) => value))
  const distances = sorted.map(({ value }) => Math.abs(value - middle))
  const deviation = medianOf(distances)
  const bound = Math.max(FAR_SHARE * middle, FAR_DEVIATIONS * deviation)
  return sorted.filter((_, i) => distances[i]! <= bound)
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
