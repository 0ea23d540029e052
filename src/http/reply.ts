import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { noteFailure } from '~/telemetry/request-scope.ts'
import { ERROR_STATUS } from '~/wire/errors.ts'

export type Headers = Record<string, string>

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
    if (error.cause) noteFailure({ level: 'warn', message, err: error.cause }, log)
    return jsonReply(body, ERROR_STATUS[code], { ...headers, ...headersOf(error) })
  }
  noteFailure({ level: 'error', message: 'request failed', err: error }, log)
  const message = 'something failed on our side; retry in a moment'
  return jsonReply({ error: message, code: 'internal_error' }, ERROR_STATUS.internal_error, headers)
}

function headersOf({ code, details, retryAfterSeconds }: ServiceError): Headers {
  if (code === 'method_not_allowed') return { allow: (details.allowed as string[]).join(', ') }
  const waitSeconds = retryAfterSeconds ?? (ERROR_STATUS[code] === 503 ? RETRY_AFTER_SECONDS : null)
  return waitSeconds === null ? {} : { 'retry-after': String(waitSeconds) }
}
