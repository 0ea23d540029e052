import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../duration.ts'

/** The pauses after each attempt; the last of them again and again. */
const PAUSES_MS = [
  ...[5 * SECOND_MS, 30 * SECOND_MS],
  ...[2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS],
]

/** The share of a pause by which chance lengthens it, so that receivers are not met by a wave. */
const JITTER = 0.2

/** The longest time for which a message is tried. */
export const TRYING_MS_MAX = 3 * DAY_MS

/**
 * The longest that lies ahead of a message before its next try, by how often it was tried; the last
 * of them for all that were tried more often. A minute is for clocks that differ.
 */
export const AHEAD_MS_MAX: readonly number[] = [0, ...PAUSES_MS].map(
  (pauseMs) => pauseMs * (1 + JITTER) + MINUTE_MS,
)

type Failed = {
  /** Number of attempts, this one included; at least 1. */
  readonly tries: number
  readonly createdMs: number
  readonly nowMs: number
  /** A random number from 0 to below 1. */
  readonly random: number
}

/** The time when a message that failed is tried next; null if it is given up. */
export function nextTryMs({ tries, createdMs, nowMs, random }: Failed): number | null {
  const pauseMs = PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1]!
  const nextMs = nowMs + Math.round(pauseMs * (1 + JITTER * random))
  return nextMs - createdMs > TRYING_MS_MAX ? null : nextMs
}
