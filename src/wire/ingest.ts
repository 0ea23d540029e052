import { Type } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import { BACKFILL_YEARS_MAX, NOTES_LENGTH_MAX, type Observation } from '~/domain/observation.ts'
import { record } from './fields.ts'
import { type RowRules, readObservationRow, WrittenNumber } from './observation-row.ts'

export const BATCH_ROWS_MAX = 100
export const BODY_BYTES_MAX = 1_048_576

export const RateRow = Type.Object({
  provider_id: Type.String({ description: 'An active provider id, as listed by /providers.' }),
  rate: Type.Number({ exclusiveMinimum: 0, description: 'Units of target per unit of source.' }),
  from: Type.Optional(Type.String({ description: 'Alias of source_currency.' })),
  to: Type.Optional(Type.String({ description: 'Alias of target_currency.' })),
  source_currency: Type.Optional(Type.String()),
  target_currency: Type.Optional(Type.String()),
  fee: Type.Optional(Type.Number({ minimum: 0 })),
  fee_currency: Type.Optional(
    Type.String({ description: 'Defaults to the source currency when a fee is given.' }),
  ),
  notes: Type.Optional(Type.String({ maxLength: NOTES_LENGTH_MAX })),
  effective_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: `Defaults to now; at most ${BACKFILL_YEARS_MAX} years back, never future.`,
    }),
  ),
})

export const IngestBody = Type.Union([
  RateRow,
  Type.Array(RateRow, { minItems: 1, maxItems: BATCH_ROWS_MAX }),
])

export const IngestResponse = record({ inserted: Type.Integer() })

/** A run of digits that a double might not hold; shorter numbers survive JSON.parse exactly. */
const LONG_NUMBER = /\d[\d.]{15,}/

/**
 * The observations of a request body, all of them or an error.
 *
 * Throws `malformed_body` for a body that is not one row or 1 to 100 of them, and `invalid_rows`
 * with every fault of every row by its index.
 */
export function readIngestBody(text: string, rules: RowRules): Observation[] {
  const rows = rowsOf(parsedExactly(text))
  const errors: { index: number; error: string }[] = []
  const observations: Observation[] = []
  rows.forEach((row, index) => {
    const reading = readObservationRow(row, rules)
    if (reading.faults) errors.push(...reading.faults.map((error) => ({ index, error })))
    else observations.push(reading.observation)
  })
  if (errors.length === 0) return observations
  const { index, error } = errors[0]!
  throw new ServiceError(
    'invalid_rows',
    `nothing was inserted: correct the rows listed in errors and send all again ` +
      `(row ${index}: ${error})`,
    { errors },
  )
}

/** JSON whose numbers keep every digit they were written with. */
export function parsedExactly(text: string): unknown {
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text)
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' && context?.source && LONG_NUMBER.test(context.source)
        ? new WrittenNumber(context.source)
        : value,
    )
  } catch {
    throw new ServiceError('malformed_body', 'the body is not valid JSON; check its syntax')
  }
}

function rowsOf(body: unknown): unknown[] {
  const rows = Array.isArray(body) ? body : [body]
  const isObject = typeof body === 'object' && body !== null && !(body instanceof WrittenNumber)
  if (!isObject)
    throw new ServiceError('malformed_body', 'the body must be one rate object or a list of them')
  if (rows.length === 0)
    throw new ServiceError('malformed_body', 'the list of rates is empty; send 1 to 100 rows')
  if (rows.length > BATCH_ROWS_MAX)
    throw new ServiceError(
      'malformed_body',
      `${rows.length} rows are too many; send at most ${BATCH_ROWS_MAX} in one request`,
    )
  return rows
}
