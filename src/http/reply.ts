import { ServiceError } from '~/domain/errors.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import type { Log } from '~/log.ts'
import { noteCode, noteFailure } from '~/telemetry/request-scope.ts'
import { ERROR_STATUS, errorBody, errorHeaders, INTERNAL_ERROR } from '~/wire/errors.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { Handler } from './handler.ts'

export type Headers = Record<string, string>

const JSON_TYPE = { 'content-type': 'application/json' }

export const jsonReply = (body: unknown, status = 200, headers: Headers = {}): Response =>
  new Response(streamedBody(JSON.stringify(body)), {
    status,
    headers: { ...JSON_TYPE, ...headers },
  })

/** The reply to any failure; an error that is not a ServiceError, or a cause, is only logged. */
export function errorReply(error: unknown, log: Log, headers: Headers = {}): Response {
  noteError(error, log)
  if (error instanceof ServiceError)
    return jsonReply(errorBody(error), ERROR_STATUS[error.code], {
      ...headers,
      ...errorHeaders(error),
    })
  return jsonReply(INTERNAL_ERROR, ERROR_STATUS.internal_error, headers)
}

/** Notes why a request is not served: its code for the metrics, a cause or a fault for the log. */
export function noteError(error: unknown, log: Log): void {
  if (error instanceof ServiceError) {
    const { code, message, cause } = error
    noteCode(code)
    if (cause) noteFailure({ level: 'warn', message, err: cause }, log)
    return
  }
  noteCode(INTERNAL_ERROR.code)
  noteFailure({ level: 'error', message: 'request failed', err: error }, log)
}

type Failing = { readonly log: Log; readonly headers?: Headers }

/** The handler, with the reply to its failure under these headers. */
export const orError =
  ({ log, headers }: Failing, handle: (request: Request) => Promise<Response>): Handler =>
  (request) =>
    handle(request).catch((error) => errorReply(error, log, headers))

type Refusal = {
  readonly text: string
  readonly status: number
  readonly headers: globalThis.Headers
}

/**
 * Responses to errors that are one object for all callers. Each is written once, so that refusing
 * costs less than serving; only the request's id differs.
 *
 * Cache 10 of a read, see docs/architecture.md.
 */
export class Refusals {
  readonly #known = new WeakMap<ServiceError, Refusal>()

  /** The headers in `guards` go on all of them. */
  constructor(private readonly guards: Headers) {}

  /** Gives the reply to an error; `headers` is used for the first reply to it only. */
  reply(error: ServiceError, requestId: string, headers: () => Headers): Response {
    let refusal = this.#known.get(error)
    if (!refusal) {
      const all = { ...JSON_TYPE, ...this.guards, ...headers(), ...errorHeaders(error) }
      refusal = {
        text: JSON.stringify(errorBody(error)),
        status: ERROR_STATUS[error.code],
        headers: new globalThis.Headers(all),
      }
      this.#known.set(error, refusal)
    }
    refusal.headers.set(REQUEST_ID_HEADER, requestId)
    return new Response(refusal.text, refusal)
  }
}
