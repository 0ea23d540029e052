import type { Corridor } from './corridor.ts'
import { DAY_MS, HOUR_MS } from './duration.ts'
import type { Basis } from './mid.ts'
import type { Window } from './period.ts'
import type { Range } from './price/suspect.ts'

export const INTERVALS = ['P1D', 'PT1H'] as const

/** The length of a bucket: a UTC day or a UTC hour. */
export type Interval = (typeof INTERVALS)[number]

export const INTERVAL_MS: Readonly<Record<Interval, number>> = { P1D: DAY_MS, PT1H: HOUR_MS }

export const BUCKETS_MAX: Readonly<Record<Interval, number>> = { P1D: 366, PT1H: 168 }

/** A question for the buckets of a window, which starts at the start of one. */
export type BucketsAsk = Window & { readonly corridor: Corridor; readonly interval: Interval }

/** What was observed in one bucket. */
export type Bucket = {
  readonly startMs: number
  /** The highest executable rate; null without one. */
  readonly best: number | null
  /** All observations, executable or not. */
  readonly samples: number
}

/** What a US dollar was worth in a currency, as it was said at `atMs`. */
export type Worth = {
  readonly perUsd: number
  readonly atMs: number
  /** What stands behind it; absent where one feed does, or nobody needs it. */
  readonly basis?: Basis
}

/** A part of a bucket, and which rates are believed in it. */
export type BelievedStretch = Window & Range

/** Whole buckets, and how they differ from the window asked for. */
export type SeriesWindow = Window & {
  /** Whether the window asked for was too long, so that only its newest buckets are kept. */
  readonly isCut: boolean
  /** Whether the end asked for lies after the bucket that holds the present. */
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
  const bucketMs = INTERVAL_MS[interval]
  const startOf = (ms: number) => Math.floor(ms / bucketMs) * bucketMs
  const endOf = (ms: number) => Math.ceil(ms / bucketMs) * bucketMs
  const askedFromMs = startOf(asked.fromMs)
  const presentEndMs = startOf(asked.nowMs) + bucketMs
  const askedBeforeMs = Math.max(endOf(asked.toMs), askedFromMs + bucketMs)
  const beforeMs = Math.min(askedBeforeMs, presentEndMs)
  const mostMs = BUCKETS_MAX[interval] * bucketMs
  const fromMs = Math.max(askedFromMs, beforeMs - mostMs)
  return {
    fromMs,
    beforeMs,
    isCut: Math.min(asked.toMs, asked.nowMs) - asked.fromMs > mostMs,
    isAhead: askedBeforeMs > presentEndMs,
  }
}

/** Where each bucket of a window starts, oldest first. */
export function bucketStartsMs({ fromMs, beforeMs }: Window, interval: Interval): number[] {
  const bucketMs = INTERVAL_MS[interval]
  const count = Math.round((beforeMs - fromMs) / bucketMs)
  return Array.from({ length: count }, (_, i) => fromMs + i * bucketMs)
}
