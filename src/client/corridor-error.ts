import type { ErrorBody } from './operation.ts'

/**
 * Transport errors: no response in time, no connection, a redirect, and a response that is not
 * Corridor's.
 */
type TransportCode = 'timeout' | 'unreachable' | 'redirected' | 'unexpected_answer'

type Facts = {
  readonly code: ErrorBody['code'] | TransportCode
  readonly status?: number
  readonly details?: ErrorBody
  readonly requestId?: string | null
  readonly retryAfterSeconds?: number | null
  readonly idempotencyKey?: string | null
  readonly cause?: unknown
}

/** Any failure of a call, except that an aborted call rejects with the signal's own reason. */
export class CorridorError extends Error {
  override readonly name = 'CorridorError'
  /** A stable code; the message is a sentence for people. */
  readonly code: ErrorBody['code'] | TransportCode
  /** The HTTP status; null without a response. */
  readonly status: number | null
  /** The body of the error, whose other fields depend on its `code`; null without a body. */
  readonly details: ErrorBody | null
  /** The id to quote when you report the failure; null if the response has none. */
  readonly requestId: string | null
  /** Seconds to wait before a retry; null if the response does not say. */
  readonly retryAfterSeconds: number | null
  /**
   * The `Idempotency-Key` that was sent, else null. Resend the same rows with it to make sure that
   * they are not recorded twice.
   */
  readonly idempotencyKey: string | null

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status ?? null
    this.details = facts.details ?? null
    this.requestId = facts.requestId ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.idempotencyKey = facts.idempotencyKey ?? null
  }
}
