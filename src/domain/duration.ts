export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Amount by which another clock may be ahead of ours. */
export const AHEAD_MS_MAX = MINUTE_MS

/** The time some calendar years earlier; 29 February becomes 1 March. */
export function yearsBeforeMs(nowMs: number, years: number): number {
  const moment = new Date(nowMs)
  return moment.setUTCFullYear(moment.getUTCFullYear() - years)
}
