import type { ErrorBody } from './operation.ts'

/**
 * Transport errors: no response in time, no connection, a redirect, and a response that is not of
 * this service.
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

/** Any failure of a call, but for one that the caller aborted: that rejects with his own reason. */
export class CorridorError extends Error {
  override readonly name = 'CorridorError'
  /** A stable word; the message is a sentence for people. */
  readonly code: ErrorBody['code'] | TransportCode
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** The body of the error, whose further members depend on its `code`; null if it has none. */
  readonly details: ErrorBody | null
  /** The id to quote when you report the failure; null if the answer does not tell it. */
  readonly requestId: string | null
  /** The time to wait before asking again; null if the response does not say. */
  readonly retryAfterSeconds: number | null
  /**
   * The `Idempotency-Key` that was sent, else null. With it the same rows can be recorded again
   * without the danger that they are recorded twice.
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
