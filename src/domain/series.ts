import type { Corridor } from './corridor.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import type { Basis } from './mid.ts'
import type { Window } from './period.ts'
import type { Range } from './price/suspect.ts'

export const INTERVALS = ['P1D', 'PT1H', 'P1W', 'P1M'] as const

/** The length of a bucket: a UTC day, hour, ISO week, which begins on Monday, or month. */
export type Interval = (typeof INTERVALS)[number]

export const BUCKETS_MAX: Readonly<Record<Interval, number>> = {
  P1D: 366,
  PT1H: 168,
  P1W: 260,
  P1M: 120,
}

/** The length of fixed-length buckets, and the start of one of them. */
const FIXED: Readonly<Record<Exclude<Interval, 'P1M'>, { lengthMs: number; fromMs: number }>> = {
  P1D: { lengthMs: DAY_MS, fromMs: 0 },
  PT1H: { lengthMs: HOUR_MS, fromMs: 0 },
  P1W: { lengthMs: 7 * DAY_MS, fromMs: 4 * DAY_MS },
}

/** The start of the bucket that lies `by` buckets after the one that holds `ms`. */
export function bucketStartMs(ms: number, interval: Interval, by = 0): number {
  if (interval === 'P1M') {
    const date = new Date(ms)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by)
  }
  const { lengthMs, fromMs } = FIXED[interval]
  return (Math.floor((ms - fromMs) / lengthMs) + by) * lengthMs + fromMs
}

/** The end of the bucket that holds `ms`, exclusive. */
export const bucketEndMs = (ms: number, interval: Interval): number =>
  bucketStartMs(ms, interval, 1)

/** A request for the buckets of a window, which starts at the start of a bucket. */
export type BucketsAsk = Window & {
  readonly corridor: Corridor
  readonly interval: Interval
  /** Says whether buckets have their candle. */
  readonly isOhlc?: boolean
}

/** The first, the highest, the lowest and the last value in a bucket. */
export type Candle = {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** Summary of the observations of one bucket. */
export type Bucket = {
  readonly startMs: number
  /** The highest executable rate; null without one. */
  readonly best: number | null
  /**
   * The candle of the best rates of its hours, or, in an hour, of the times at which a rate was
   * observed; null without one, or if not requested.
   */
  readonly candle: Candle | null
  /** All observations, executable or not. */
  readonly samples: number
}

/** Value of a US dollar in a currency, as it was published at `atMs`. */
export type Worth = {
  readonly perUsd: number
  readonly atMs: number
  /** Basis of the value; absent if one feed published it, or it is not needed. */
  readonly basis?: Basis
}

/** A part of a bucket, and which rates are believed in it. */
export type BelievedStretch = Window & Range

/** Whole buckets, and how they differ from the window asked for. */
export type SeriesWindow = Window & {
  /** Whether the window requested was too long, so that only its newest buckets are returned. */
  readonly isCut: boolean
  /** Says whether the end requested lies after the bucket that holds the present. */
  readonly isAhead: boolean
}

/**
 * The whole buckets that hold `fromMs` to `toMs`: the start moves back to the start of its bucket,
 * the end forward to the end of its own.
 *
 * Never empty: a window of no length becomes the bucket that holds it. The last bucket is at most
 * the one of `nowMs`, and a window over the maximum keeps its newest buckets. A window that fits,
 * and is one bucket over only because of the rounding, does not count as cut. `fromMs` is not after
 * `toMs` or `nowMs`.
 */
export function seriesWindow(
  asked: { fromMs: number; toMs: number; nowMs: number },
  interval: Interval,
): SeriesWindow {
  const askedFromMs = bucketStartMs(asked.fromMs, interval)
  const presentEndMs = bucketEndMs(asked.nowMs, interval)
  const askedBeforeMs = bucketEndMs(Math.max(asked.toMs - 1, askedFromMs), interval)
  const beforeMs = Math.min(askedBeforeMs, presentEndMs)
  const earliestMs = bucketStartMs(beforeMs, interval, -BUCKETS_MAX[interval])
  const mostMs = beforeMs - earliestMs
  const fromMs = Math.max(askedFromMs, earliestMs)
  return {
    fromMs,
    beforeMs,
    isCut: Math.min(asked.toMs, asked.nowMs) - asked.fromMs > mostMs,
    isAhead: askedBeforeMs > presentEndMs,
  }
}

/** Start of each bucket of a window, oldest first. */
export function bucketStartsMs({ fromMs, beforeMs }: Window, interval: Interval): number[] {
  const startsMs: number[] = []
  for (let ms = fromMs; ms < beforeMs; ms = bucketEndMs(ms, interval)) startsMs.push(ms)
  return startsMs
}
