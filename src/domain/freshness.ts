import { HOUR_MS } from './duration.ts'

export const TIERS = ['hourly', 'realtime'] as const

/** Freshness of the data that a plan may see. */
export type Tier = (typeof TIERS)[number]

/** The top of the UTC hour that holds `ms`. */
export const hourStartMs = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/**
 * One request's view of time: the tier it is served at, the clock, and the time after which nothing
 * is seen. The cutoff follows from the clock alone, never from whether a job has run.
 */
export type Freshness = {
  readonly tier: Tier
  readonly nowMs: number
  /** The top of the hour for `hourly`; Infinity for `realtime`, which sees everything recorded. */
  readonly cutoffMs: number
  /** Whether prices may be those of the sample, which every response then states. */
  readonly isSample?: boolean
}

export function freshnessAt(tier: Tier, nowMs: number, isSample = false): Freshness {
  const cutoffMs = tier === 'hourly' ? hourStartMs(nowMs) : Number.POSITIVE_INFINITY
  return { tier, nowMs, cutoffMs, isSample }
}

/**
 * Every cutoff that a reader can still ask for, latest first: the end of time (realtime), the
 * coming hour (a replica whose clock is ahead), this hour, and the previous hour (a request that
 * read the clock just before the hour turned). For several times, the cutoffs of each.
 */
export function boundariesMs(...timesMs: readonly number[]): number[] {
  const hours = new Set(timesMs.map(hourStartMs))
  const tops = [...hours].flatMap((ms) => [ms + HOUR_MS, ms, ms - HOUR_MS])
  if (hours.size === 1) return [Number.POSITIVE_INFINITY, ...tops]
  return [Number.POSITIVE_INFINITY, ...new Set(tops)].sort((a, b) => b - a)
}
