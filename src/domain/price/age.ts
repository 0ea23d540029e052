import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'

/** The most days that five calendar years can have. */
export const AGE_DAYS_MAX = 5 * 365 + 2

const SHORT = /^(\d{1,12})([dhm])$/
const ISO_8601 = /^P(?=\d|T\d)(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,12})H)?(?:(\d{1,12})M)?)?$/

const UNIT_MS: Readonly<Record<string, number>> = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS }

/**
 * An age as written in a request, in milliseconds: `90m`, `24h`, `7d`, or an ISO 8601 duration of
 * days, hours and minutes such as `P1DT12H`.
 *
 * Null for any other string, for nothing (`PT0M`), and for more than five years. Months and years
 * are not accepted, as they have no fixed length.
 */
export function ageMsOf(text: string): number | null {
  const ms = shortMs(text) ?? isoMs(text) ?? 0
  return ms > 0 && ms <= AGE_DAYS_MAX * DAY_MS ? ms : null
}

function shortMs(text: string): number | null {
  const [, count, unit] = SHORT.exec(text) ?? []
  return count === undefined ? null : Number(count) * UNIT_MS[unit!]!
}

function isoMs(text: string): number | null {
  const match = ISO_8601.exec(text)
  if (!match) return null
  const [, days = 0, hours = 0, minutes = 0] = match
  return Number(days) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
}
