import { DAY_MS } from './duration.ts'

export const PERIODS = ['1d', '7d', '30d', '90d'] as const

/** How far back a question reaches. */
export type Period = (typeof PERIODS)[number]

export const PERIOD_MS: Readonly<Record<Period, number>> = {
  '1d': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
}

/**
 * A stretch of time in epoch milliseconds that excludes its end. Times are whole milliseconds, so a
 * window that should include `ms` ends at `ms + 1`.
 */
export type Window = { readonly fromMs: number; readonly beforeMs: number }

/** The start of a window that reaches back to the first record. */
export const ALWAYS_MS = Number.NEGATIVE_INFINITY
