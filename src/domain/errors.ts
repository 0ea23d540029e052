export const ERROR_CODES = [
  'missing_parameter',
  'invalid_parameter',
  'repeated_parameter',
  'not_kept',
  'unsupported_currency',
  'same_currency',
  'malformed_body',
  'body_too_large',
  'missing_key',
  'invalid_key',
  'revoked_key',
  'invalid_token',
  'forbidden',
  'alert_limit',
  'enterprise_only',
  'unknown_path',
  'unknown_provider',
  'unknown_file',
  'unknown_alert',
  'unknown_observation',
  'unknown_reference',
  'unknown_entry',
  'not_sealed',
  'method_not_allowed',
  'invalid_rows',
  'idempotency_key_reused',
  'quota_exceeded',
  'too_many_failures',
  'too_many_changes',
  'too_many_tests',
  'too_many_streams',
  'internal_error',
  'mid_unavailable',
  'database_unavailable',
  'storage_full',
  'overloaded',
  'streams_unavailable',
  'replica_behind',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * The only error meant for a caller. Any other error that escapes is our bug.
 *
 * `message` tells the caller what to do next and holds nothing internal; `details` become further
 * fields of the error body, so their names are those of the API.
 */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** The time to wait before the same request can succeed, if known. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'ServiceError'
  }
}

/** Returns the granted value; throws the refusal that was returned instead of one. */
export function granted<T>(outcome: T | ServiceError): T {
  if (outcome instanceof ServiceError) throw outcome
  return outcome
}

/** The error for a parameter or argument, by its name; `fault` continues the sentence. */
export const invalidParameter = ({ name, fault }: { name: string; fault: string }): ServiceError =>
  new ServiceError('invalid_parameter', `${name} cannot be used: ${fault}`, { parameter: name })

/** The error for a time with deleted data; `limitMs` is the first time with all data. */
export function notKept(limitMs: number): ServiceError {
  const limit = new Date(limitMs).toISOString()
  return new ServiceError(
    'not_kept',
    `observations from before ${limit} were deleted for their age, so what was known then cannot ` +
      'be shown; ask about later times',
    { limit },
  )
}
