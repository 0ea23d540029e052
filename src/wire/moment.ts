import { invalidParameter } from '~/domain/errors.ts'
import { dateMsOf, instantOf } from '~/domain/instant.ts'

/** The first year accepted: nothing is known of earlier moments, and calendars differ there. */
const FIRST_YEAR = 1900
const FIRST_MS = Date.UTC(FIRST_YEAR)

/**
 * Milliseconds of a date-time parameter, null when it is absent; a 400 when it is not a date-time.
 */
export function readInstant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  return checked(name, instantOf(text), 'an ISO-8601 date-time such as 2026-03-05T14:00:00Z')
}

/** Milliseconds of the UTC midnight that starts a date parameter; a 400 when it is not a date. */
export function readDate(name: string, text: string): number {
  return checked(name, dateMsOf(text), 'a calendar date such as 2026-03-05')
}

function checked(name: string, ms: number | null, wanted: string): number {
  if (ms !== null && ms >= FIRST_MS) return ms
  const fault = ms === null ? `it must be ${wanted}` : `it must lie in ${FIRST_YEAR} or later`
  throw invalidParameter({ name, fault })
}
