export const RETENTION_YEARS_MAX = 100

/** So many calendar years before a moment; 29 February becomes 1 March. */
export function yearsBeforeMs(nowMs: number, years: number): number {
  const moment = new Date(nowMs)
  return moment.setUTCFullYear(moment.getUTCFullYear() - years)
}
