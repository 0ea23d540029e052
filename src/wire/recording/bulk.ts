import { type Static, Type } from '@sinclair/typebox'
import { invalidParameter, ServiceError } from '~/domain/errors.ts'
import { isTimeZone } from '~/domain/source/zone.ts'
import { namedRecord, optional } from '~/wire/fields.ts'
import { DATE_ORDERS, DECIMALS, type Notation } from '~/wire/row/notation.ts'
import { RateRow } from '~/wire/row/schema.ts'
import { INGEST_EXAMPLES, IngestResponse } from './ingest.ts'

export const BULK_ROWS_MAX = 10_000
export const BULK_BYTES_MAX = 8 * 1_048_576
/** The maximum number of errors and warnings that a response lists; it counts the others. */
const LISTED_MAX = 100

export const BulkQuery = Type.Object({
  dry_run: optional.words(['true', 'false'], {
    default: 'false',
    description: 'With `true` every row is checked and nothing is recorded.',
  }),
  decimal: optional.words(DECIMALS, {
    description: 'The decimal separator of a CSV; a point by default.',
  }),
  dates: optional.words(DATE_ORDERS, {
    description: 'The order of day and month in CSV dates that do not begin with the year.',
  }),
  time_zone: optional.string({
    description: 'The IANA time zone of dates and of times without an offset in a CSV.',
    examples: ['Africa/Lagos'],
  }),
})

export const BulkBody = Type.Array(RateRow, { minItems: 1, maxItems: BULK_ROWS_MAX })

export const BULK_EXAMPLES = { batch: INGEST_EXAMPLES.batch }

const { inserted, ids, warnings } = IngestResponse.properties

export const BulkResponse = namedRecord('BulkResponse', {
  inserted,
  would_insert: optional.integer({
    description: 'How many rows a dry run found valid; only in dry runs.',
  }),
  ids: { ...ids, maxItems: BULK_ROWS_MAX },
  warnings: { ...warnings, maxItems: LISTED_MAX },
  warning_count: optional.integer({
    description: 'How many warnings there are, of which the first 100 are listed.',
  }),
})

type Warning = NonNullable<Static<typeof IngestResponse>['warnings']>[number]
type BulkQuery = Static<typeof BulkQuery>

/** Notation of a CSV by the parameters of `/rates/bulk`. Throws for an unknown time zone. */
export function notationOf({ decimal = '.', dates, time_zone }: BulkQuery, where = ''): Notation {
  if (time_zone !== undefined && !isTimeZone(time_zone))
    throw invalidParameter({ name: 'time_zone', fault: 'it must be a zone such as Africa/Lagos' })
  const settingOf = (name: string, value: string) =>
    `the parameter ${name.replace('-', '_')}=${value}${where}`
  return { decimal, dates: dates ?? null, timeZone: time_zone ?? null, settingOf }
}

/** Throws `invalid_parameter` for one that says how a CSV is written, where none is sent. */
export function assertForCsv(query: BulkQuery): void {
  const name = (['decimal', 'dates', 'time_zone'] as const).find((one) => query[one] !== undefined)
  if (name) throw invalidParameter({ name, fault: 'it is for a body of text/csv only' })
}

/** The warnings that a response lists, and their total number. */
export const listedWarnings = (all: readonly Warning[]) =>
  all.length > 0 && { warnings: all.slice(0, LISTED_MAX), warning_count: all.length }

/** Returns the error with the first of its problems and their number; other errors unchanged. */
export function withListedFaults(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_rows') return error
  const errors = error.details.errors as readonly unknown[]
  const listed = { errors: errors.slice(0, LISTED_MAX), error_count: errors.length }
  return new ServiceError(error.code, error.message, listed)
}
