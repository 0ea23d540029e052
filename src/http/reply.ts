import { type ErrorCode, ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'

export type Headers = Record<string, string>

const STATUS: Readonly<Record<ErrorCode, number>> = {
  missing_parameter: 400,
  invalid_parameter: 400,
  repeated_parameter: 400,
  unsupported_currency: 400,
  same_currency: 400,
  malformed_body: 400,
  body_too_large: 400,
  missing_key: 401,
  invalid_key: 401,
  revoked_key: 401,
  forbidden: 403,
  unknown_path: 404,
  unknown_provider: 404,
  method_not_allowed: 405,
  invalid_rows: 422,
  idempotency_key_reused: 422,
  quota_exceeded: 429,
  internal_error: 500,
  mid_unavailable: 503,
  database_unavailable: 503,
}

/** How long a caller is asked to wait when something of ours is away. */
const RETRY_AFTER_SECONDS = 30

export const jsonReply = (body: unknown, status = 200, headers: Headers = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** The reply to any failure; what is no ServiceError, or lies behind one, is only logged. */
export function errorReply(error: unknown, log: Log, headers: Headers = {}): Response {
  if (error instanceof ServiceError) {
    const { code, message, details } = error
    const body = { error: message, code, ...details }
    if (error.cause) log.warn({ err: error.cause }, message)
    return jsonReply(body, STATUS[code], { ...headers, ...headersOf(error) })
  }
  log.error({ err: error }, 'request failed')
  const message = 'something failed on our side; retry in a moment'
  return jsonReply({ error: message, code: 'internal_error' }, STATUS.internal_error, headers)
}

function headersOf({ code, details, retryAfterSeconds }: ServiceError): Headers {
  if (code === 'method_not_allowed') return { allow: (details.allowed as string[]).join(', ') }
  const waitSeconds = retryAfterSeconds ?? (STATUS[code] === 503 ? RETRY_AFTER_SECONDS : null)
  return waitSeconds === null ? {} : { 'retry-after': String(waitSeconds) }
}
