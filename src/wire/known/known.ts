import { Type } from '@sinclair/typebox'
import type { Freshness } from '~/domain/freshness.ts'
import { Instant, optional } from '~/wire/fields.ts'
import { readInstant } from '~/wire/moment.ts'
import { iso } from '~/wire/present.ts'

/** The parameter of requests that can ask about an earlier state of knowledge. */
export const knownParameter = {
  known_at: optional.string({
    description:
      'An ISO-8601 date-time, not in the future. Returns what the response was then, from what ' +
      'had been recorded.',
    format: 'date-time',
    examples: ['2026-03-05T14:00:00.000Z'],
  }),
}

/** The field that states which state of knowledge a response reflects. */
export const knownFields = {
  known_at: Type.Optional({
    ...Instant,
    description: 'Only what had been recorded by then counts; absent without known_at.',
  }),
}

/** `knownFields` for a response that has no other note. */
export const notedKnownFields = {
  note: optional.string({ description: 'That nothing had been recorded by known_at.' }),
  ...knownFields,
}

/** The time in a request; null for now. Throws a 400 if it is not a date-time. */
export const readKnownAt = ({ known_at: text }: { readonly known_at?: string }): number | null =>
  readInstant('known_at', text)

type Then = { readonly knownMs: number; readonly isBeforeAll: boolean }

/**
 * A body of what was known, as a caller gets it now. For the hourly tier it states the time after
 * which it has nothing, which is that of the knowledge, unless the body is about an earlier day.
 */
export function presentKnown<B extends object>(
  body: B,
  { knownMs, isBeforeAll }: Then,
  { nowMs, tier }: Freshness,
): B & { known_at: string } {
  const known = iso(knownMs)
  return {
    ...body,
    ...('timestamp' in body && { timestamp: iso(nowMs) }),
    ...('data_freshness' in body && { data_freshness: tier }),
    ...(tier === 'hourly' && 'data_freshness' in body && { as_of: cutoffOf(body, known) }),
    ...(isBeforeAll && { note: `Nothing had been recorded by ${known}.` }),
    known_at: known,
  }
}

const cutoffOf = (body: object, known: string): string =>
  'as_of' in body && String(body.as_of) < known ? String(body.as_of) : known
