import { type Static, Type } from '@sinclair/typebox'
import { ServiceError } from '~/domain/errors.ts'
import type { RowFault } from '~/domain/observation.ts'
import type { RowDoubt, SentRow } from '~/service/recording/plausibility.ts'
import { namedRecord, ObservationId, optional, record } from '~/wire/fields.ts'
import { jsonBody } from '~/wire/json-body.ts'
import { suspectText } from '~/wire/offer/suspect.ts'
import { readSentRow, shownName } from '~/wire/row/members.ts'
import type { RowRules } from '~/wire/row/observation.ts'
import { RateRow } from '~/wire/row/schema.ts'
import { WrittenNumber } from '~/wire/row/values.ts'

export const BATCH_ROWS_MAX = 100
export const BODY_BYTES_MAX = 1_048_576

export const IDEMPOTENCY_KEY_LENGTH_MAX = 255

/** The maximum number of unread fields that a warning names. */
const UNREAD_SHOWN_MAX = 5

export const IngestBody = Type.Union([
  RateRow,
  Type.Array(RateRow, { minItems: 1, maxItems: BATCH_ROWS_MAX }),
])

const exampleRow = { provider_id: 'western-union', from: 'GBP', to: 'KES', rate: 172.4, fee: 1.99 }

export const INGEST_EXAMPLES = {
  one: exampleRow,
  batch: [exampleRow, { ...exampleRow, to: 'NGN', rate: 2046.5 }],
  offer: {
    ...exampleRow,
    source_country: 'GB',
    target_country: 'KE',
    pay_in: ['debit_card', 'bank_account'],
    pay_out: ['mobile_money'],
    channel: 'internet',
    amount_min: 1,
    amount_max: 250,
    fee_percent: 0.5,
    delivery_max: 'PT1H',
  },
}

export const INGEST_MEDIA = ['application/json', 'text/csv', 'application/x-ndjson'] as const

/** A row in each medium but JSON. */
export const INGEST_TEXTS = {
  'text/csv': 'provider_id,from,to,rate,fee\nwestern-union,GBP,KES,172.4,1.99\n',
  'application/x-ndjson': `${JSON.stringify(exampleRow)}\n`,
}

export const IngestHeaders = Type.Object({
  'Idempotency-Key': optional.string({
    minLength: 1,
    maxLength: IDEMPOTENCY_KEY_LENGTH_MAX,
    description: 'Makes a retry safe: a string of your choice, new for every batch.',
    examples: ['batch-17'],
  }),
})

const Warning = record({
  index: Type.Integer({ description: 'The row, from 0.' }),
  warning: Type.String(),
})

export const IngestResponse = namedRecord('IngestResponse', {
  inserted: Type.Integer(),
  ids: optional.list(ObservationId, {
    maxItems: BATCH_ROWS_MAX,
    description:
      'The id of each row, in the order of the rows; absent from the repeated response to a ' +
      'batch that an older version recorded.',
  }),
  warnings: optional.list(Warning, {
    maxItems: 2 * BATCH_ROWS_MAX,
    description: 'Rows with ignored fields, and suspect rows; absent if there are none.',
  }),
})

type Warning = Static<typeof Warning>

/** Matches digits or an exponent that a double might lose; JSON.parse keeps other numbers. */
const LONG_NUMBER = /\d[\d.]{15,}|\d[eE][+-]?\d{3}/

/** A row with its place in the body. */
type ReadRow = SentRow & { readonly index: number }

/** The outcome of reading a request body. If it has errors, none of it may be recorded. */
export type BatchReading = {
  readonly rows: readonly ReadRow[]
  readonly warnings: readonly Warning[]
  /** Every error of every row by its index. */
  readonly faults: readonly RowFault[]
  /** The known providers of the rows, one for each row that names one. */
  readonly providerIds: readonly string[]
}

/** Reads some rows of a body, the first of which is the row `from`. */
export function readRows(rows: readonly unknown[], rules: RowRules, from = 0): BatchReading {
  const faults: RowFault[] = []
  const warnings: Warning[] = []
  const read: ReadRow[] = []
  rows.forEach((row, i) => {
    const index = from + i
    const reading = readSentRow(row, { rules })
    const { unread } = reading
    if (reading.faults) faults.push(...reading.faults.map((error) => ({ index, error })))
    else
      read.push({
        index,
        observation: reading.observation,
        isAccepted: reading.isAccepted ?? false,
      })
    if (unread.length > 0) warnings.push({ index, warning: unreadWarning(unread) })
  })
  return { rows: read, warnings, faults, providerIds: knownProviders(rows, rules) }
}

const knownProviders = (rows: readonly unknown[], { catalogue }: RowRules): string[] =>
  rows.flatMap((row) => {
    const id = (row as { provider_id?: unknown } | null)?.provider_id
    return typeof id === 'string' && catalogue.provider(id) ? [id] : []
  })

function unreadWarning(names: readonly string[]): string {
  const shown = names.slice(0, UNREAD_SHOWN_MAX).map(shownName).join(', ')
  const more = names.length - UNREAD_SHOWN_MAX
  return `ignored, as unknown: ${shown}${more > 0 ? ` and ${more} more` : ''}`
}

/** Errors of implausible rows, and the warnings for those recorded. */
export function presentDoubts(rows: readonly ReadRow[], doubts: readonly RowDoubt[]) {
  const faults: RowFault[] = []
  const warnings: Warning[] = []
  for (const [i, { fault, suspect }] of doubts.entries()) {
    const { index } = rows[i]!
    if (fault !== null) faults.push({ index, error: fault, code: 'implausible_rate' })
    else if (suspect) warnings.push({ index, warning: `suspect: rate is ${suspectText(suspect)}` })
  }
  return { faults, warnings }
}

/** Parsed JSON whose numbers keep every digit they were written with. */
export const parsedExactly = (text: string): unknown =>
  jsonBody(text, { tooDeep: 'the body is nested too deeply; send flat rows', parse: exactly })

function exactly(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === 'number' && context?.source && LONG_NUMBER.test(context.source)
      ? new WrittenNumber(context.source)
      : value,
  )
}

/** The rows of a JSON body, one or a list of them. Throws `malformed_body`. */
export function jsonRows(text: string): unknown[] {
  const body = parsedExactly(text)
  const rows = Array.isArray(body) ? body : [body]
  const isObject = typeof body === 'object' && body !== null && !(body instanceof WrittenNumber)
  if (!isObject)
    throw new ServiceError('malformed_body', 'the body must be one rate object or a list of them')
  return rows
}

/** Throws `malformed_body` for a body without rows, or with more than its operation takes. */
export function assertCount(rows: readonly unknown[], rowsMax: number): void {
  const [count, max] = [rows.length, rowsMax].map((rows) => rows.toLocaleString('en'))
  if (rows.length === 0)
    throw new ServiceError('malformed_body', `the list of rates is empty; send 1 to ${max} rows`)
  if (rows.length > rowsMax)
    throw new ServiceError(
      'malformed_body',
      `${count} rows are too many; send at most ${max} in one request`,
    )
}
