import { invalidParameter } from '~/domain/errors.ts'
import { dateMsOf, instantOf } from '~/domain/instant.ts'
import { ageMsOf } from '~/domain/price/age.ts'
import { optional } from './fields.ts'

/** The first year accepted: earlier data is unknown, and calendars differ there. */
const FIRST_YEAR = 1900
export const FIRST_MS = Date.UTC(FIRST_YEAR)

/** Milliseconds of a date-time parameter, null if absent; a 400 if it is not a date-time. */
export function readInstant(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  return checked(name, instantOf(text), 'an ISO-8601 date-time such as 2026-03-05T14:00:00Z')
}

/** Milliseconds of the UTC midnight that starts a date parameter; a 400 when it is not a date. */
export function readDate(name: string, text: string): number {
  return checked(name, dateMsOf(text), 'a calendar date such as 2026-03-05')
}

/** A request's `max_age` in milliseconds; null for any age. A 400 if it is not an age. */
export function readMaxAge({ max_age: text }: { readonly max_age?: string }): number | null {
  if (text === undefined) return null
  const ms = ageMsOf(text)
  if (ms === null) throw invalidParameter({ name: 'max_age', fault: `it must be an ${AGE}` })
  return ms
}

/** Possible ages, in words. */
const AGE =
  'age such as 90m, 24h or 7d, or an ISO 8601 duration of days, hours and minutes such as ' +
  'P1DT12H, more than zero and at most five years'

export const ageParameter = {
  max_age: optional.string({
    description: `An ${AGE}. Older prices are left out.`,
    examples: ['7d'],
  }),
}

function checked(name: string, ms: number | null, wanted: string): number {
  if (ms !== null && ms >= FIRST_MS) return ms
  const fault = ms === null ? `it must be ${wanted}` : `it must be in ${FIRST_YEAR} or later`
  throw invalidParameter({ name, fault })
}
