import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { ERROR_CODES, type ErrorCode, ServiceError } from '~/domain/errors.ts'
import { Instant, named, ObservationId, optional, record } from './fields.ts'

export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  missing_parameter: 400,
  invalid_parameter: 400,
  repeated_parameter: 400,
  not_kept: 400,
  unsupported_currency: 400,
  same_currency: 400,
  malformed_body: 400,
  body_too_large: 400,
  missing_key: 401,
  invalid_key: 401,
  revoked_key: 401,
  invalid_token: 401,
  forbidden: 403,
  alert_limit: 403,
  enterprise_only: 403,
  unknown_path: 404,
  unknown_provider: 404,
  unknown_file: 404,
  unknown_alert: 404,
  unknown_observation: 404,
  unknown_reference: 404,
  unknown_entry: 404,
  not_sealed: 404,
  method_not_allowed: 405,
  invalid_rows: 422,
  idempotency_key_reused: 422,
  quota_exceeded: 429,
  too_many_failures: 429,
  too_many_changes: 429,
  too_many_tests: 429,
  too_many_streams: 429,
  internal_error: 500,
  mid_unavailable: 503,
  database_unavailable: 503,
  storage_full: 507,
  overloaded: 503,
  streams_unavailable: 503,
  replica_behind: 503,
}

export const UNAUTHORIZED = 401

/** The challenge of a 401. https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1 */
export const CHALLENGE = {
  'www-authenticate': 'Bearer realm="corridor", ApiKey realm="corridor"',
} as const

/** The case in which a client gets each code, in the words of the documents. */
export const ERROR_MEANING: Readonly<Record<ErrorCode, string>> = {
  missing_parameter: 'A required parameter is missing.',
  invalid_parameter:
    'A parameter is empty, unreadable, out of bounds, or asks for a time where only the ' +
    'present is served.',
  repeated_parameter: 'A parameter that takes one value appears more than once.',
  not_kept:
    'Part of what was known at known_at has been deleted for its age; limit is the earliest time ' +
    'available.',
  unsupported_currency:
    'A code is not that of an active currency; the error names each such code and lists the ' +
    'supported ones.',
  same_currency: 'Both sides of the corridor are the same currency.',
  malformed_body:
    'The body is not JSON or CSV, or not what the operation takes: 1 to 100 rows, up to ' +
    '10,000 for /rates/bulk, or the fields of an alert.',
  body_too_large:
    'The body is larger than 1 MiB, than 8 MiB for /rates/bulk, or than 8 KiB for an alert.',
  missing_key: 'There is neither an X-API-Key header nor an Authorization: Bearer.',
  invalid_key: 'The key does not exist, or two headers have different keys.',
  revoked_key: 'The key was revoked.',
  invalid_token: 'The token is not from this service, or is older than two minutes.',
  forbidden: 'The account is neither a treasury nor an admin account, or is not for these prices.',
  alert_limit: "The account has reached its plan's limit of alerts.",
  enterprise_only: 'This needs a key of the enterprise plan.',
  unknown_path: 'There is no such path.',
  unknown_provider: 'No active provider has that id.',
  unknown_file: 'There is no file for that day, or not yet; available_at then says when.',
  unknown_alert: 'The account has no alert with that id.',
  unknown_observation: 'Some ids do not exist; observations lists them.',
  unknown_reference: 'No reference has that id.',
  unknown_entry: 'No currency has that code, and no provider that id.',
  not_sealed: 'The row is not in the verifiable log yet; available_at says when.',
  method_not_allowed: 'The path does not support that method; Allow names those it supports.',
  invalid_rows: 'Some rows are invalid, each listed by its index; nothing was inserted.',
  idempotency_key_reused: 'The Idempotency-Key was used with another body.',
  quota_exceeded: "All of today's units are used.",
  too_many_failures: 'Too many requests without a valid key came from one address.',
  too_many_changes:
    'The account changed too many alerts within an hour, or one secret too often in a day.',
  too_many_tests: 'The account, or all accounts for one host, sent too many tests within an hour.',
  too_many_streams: "The account has reached its plan's limit of open streams.",
  internal_error: 'Something failed on our side; retry in a moment.',
  mid_unavailable: 'The mid-market reference is unavailable or too old; retry shortly.',
  database_unavailable: 'The database does not respond; retry shortly.',
  storage_full: 'The disk of the database is full, and nothing was recorded; reads still work.',
  overloaded: 'The database is overloaded; retry shortly.',
  streams_unavailable: 'This replica has no room for another stream; connect again.',
  replica_behind: 'This replica has not reached min_position yet; retry in a second.',
}

export type ErrorBody = { readonly error: string; readonly code: ErrorCode }

/** The message to clients about a failure that was not meant for them. */
export const INTERNAL_ERROR: ErrorBody = {
  error: 'something failed on our side; retry in a moment',
  code: 'internal_error',
}

/** The body for a failure; nothing shows of one that is not a ServiceError. */
export function errorBody(error: unknown): ErrorBody {
  if (!(error instanceof ServiceError)) return INTERNAL_ERROR
  const { message, code, details } = error
  return { error: message, code, ...details }
}

/** The `Retry-After` of a response while something of ours is down. */
const RETRY_AFTER_SECONDS = 30

/** Statuses of errors that end by themselves or by the operator, whatever the caller does. */
const PASSING = [503, 507]

export function errorHeaders(error: ServiceError): Readonly<Record<string, string>> {
  const { code, details, retryAfterSeconds } = error
  if (code === 'method_not_allowed') return { allow: (details.allowed as string[]).join(', ') }
  if (ERROR_STATUS[code] === UNAUTHORIZED) return CHALLENGE
  const isPassing = PASSING.includes(ERROR_STATUS[code])
  const waitSeconds = retryAfterSeconds ?? (isPassing ? RETRY_AFTER_SECONDS : null)
  return waitSeconds === null ? {} : { 'retry-after': String(waitSeconds) }
}

const parameter = Type.String({ description: 'The parameter in question.' })

const errors = Type.Array(
  named(
    'RowFault',
    record({
      index: Type.Integer({ minimum: 0 }),
      error: Type.String(),
      code: Type.Optional(
        Type.Literal('implausible_rate', {
          description: 'A row that is recorded if it has accept_implausible.',
        }),
      ),
    }),
  ),
  {
    description:
      'Every error of every row, by the position of the row; the first 100 for /rates/bulk.',
  },
)

/** The fields of an error's body besides `error` and `code`. */
const DETAILS: Partial<Record<ErrorCode, Record<string, TSchema>>> = {
  missing_parameter: { parameter },
  invalid_parameter: { parameter },
  repeated_parameter: { parameter },
  not_kept: { limit: { ...Instant, description: 'Nothing earlier can be shown.' } },
  unsupported_currency: {
    parameter: Type.String({
      description: 'The parameter in question; from if it could be either.',
    }),
    supported_currencies: Type.Array(Type.String(), {
      description: 'Codes of every active currency, in alphabetical order.',
    }),
  },
  forbidden: {
    allowed_providers: optional.list(Type.String(), {
      description: 'The providers that the account is limited to.',
    }),
    observations: optional.list(ObservationId, {
      description: 'Observations that the account may not withdraw.',
    }),
  },
  unknown_observation: {
    observations: Type.Array(ObservationId, { description: 'The ids that no observation has.' }),
  },
  unknown_file: {
    available_at: Type.Optional({ ...Instant, description: 'When the file becomes available.' }),
  },
  not_sealed: {
    available_at: Type.Optional({ ...Instant, description: 'When the proof becomes available.' }),
  },
  alert_limit: { limit: Type.Integer({ description: 'How many alerts the plan allows.' }) },
  method_not_allowed: { allowed: Type.Array(Type.String()) },
  invalid_rows: {
    errors,
    error_count: optional.integer({
      description: 'How many errors there are in all; for /rates/bulk only.',
    }),
  },
  idempotency_key_reused: { errors },
  too_many_streams: {
    limit: Type.Integer({ description: 'Streams that the plan allows at once.' }),
  },
  replica_behind: {
    position: Type.Integer({ description: 'The position up to which everything is served here.' }),
  },
  quota_exceeded: {
    limit: Type.Integer({ description: 'Units that the plan has in a UTC day.' }),
    reset: Type.Integer({ description: 'Epoch seconds of the next UTC midnight.' }),
  },
}

const pascal = (words: string): string =>
  words.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())

const errorSchema = (code: ErrorCode): TObject =>
  named(
    `${pascal(code).replace(/Error$/, '')}Error`,
    record(
      {
        error: Type.String({ description: 'A sentence that says what to do next.' }),
        code: Type.Literal(code),
        ...DETAILS[code],
      },
      ERROR_MEANING[code],
    ),
  )

export const errorSchemas = Object.fromEntries(
  ERROR_CODES.map((code) => [code, errorSchema(code)]),
) as Readonly<Record<ErrorCode, TObject>>
