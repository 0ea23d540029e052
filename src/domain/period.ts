import { DAY_MS } from './duration.ts'

export const PERIODS = ['1d', '7d', '30d', '90d', '180d', '365d', 'ytd'] as const

/** Length of the requested past; `ytd` is since the UTC year began. */
export type Period = (typeof PERIODS)[number]

const DAYS: Readonly<Record<Exclude<Period, 'ytd'>, number>> = {
  '1d': 1,
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '180d': 180,
  '365d': 365,
}

export const periodStartMs = (period: Period, endMs: number): number =>
  period === 'ytd' ? Date.UTC(new Date(endMs).getUTCFullYear(), 0) : endMs - DAYS[period] * DAY_MS

/**
 * A stretch of time in epoch milliseconds that excludes its end. Times are whole milliseconds, so a
 * window that should include `ms` ends at `ms + 1`.
 */
export type Window = { readonly fromMs: number; readonly beforeMs: number }

/** The start of a window that reaches back to the first record. */
export const ALWAYS_MS = Number.NEGATIVE_INFINITY
