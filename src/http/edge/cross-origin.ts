import type { Fetch } from '~/http/handler.ts'
import { ANY_ORIGIN, CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

const HEADERS = new CrossOriginHeaders({
  sent:
    'accept-signature, authorization, content-type, idempotency-key, if-none-match, ' +
    `last-event-id, traceparent, tracestate, x-api-key, ${REQUEST_ID_HEADER}`,
  read:
    'content-digest, content-disposition, etag, link, ratelimit, ratelimit-policy, retry-after, ' +
    'signature, signature-input, x-as-of, x-corridor-position, www-authenticate, ' +
    'x-data-freshness, x-mid-fetched-at, x-mid-rate, x-mid-source, x-note, x-ratelimit-limit, ' +
    `x-ratelimit-remaining, x-ratelimit-reset, ${REQUEST_ID_HEADER}`,
})

const METHOD_NOT_ALLOWED = 405

/** Lets pages of these origins, or of any by `*`, call the interface. */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  /** The handler's response, with headers that let a page of an allowed origin read it. */
  answered(handle: Fetch, request: Request): Response | Promise<Response> {
    const reply = handle(request)
    return reply instanceof Promise
      ? reply.then((late) => this.#shared(request, late))
      : this.#shared(request, reply)
  }

  #shared(request: Request, own: Response): Response {
    return HEADERS.shared(
      isPreflight(request, own) ? preflightReply(own) : own,
      this.#allowed(request),
    )
  }

  /** The origin that may read the response to a request; null for none. */
  #allowed({ headers }: Request): string | null {
    if (this.#origins.has(ANY_ORIGIN)) return ANY_ORIGIN
    const origin = headers.get('origin')
    return origin !== null && this.#origins.has(origin) ? origin : null
  }
}

/** Reports whether this is a browser's preflight about an existing path. */
const isPreflight = ({ method, headers }: Request, { status }: Response): boolean =>
  method === 'OPTIONS' &&
  status === METHOD_NOT_ALLOWED &&
  headers.has('origin') &&
  headers.has('access-control-request-method')

/** The reply to a preflight. OPTIONS itself gets a 405, which names the methods of the path. */
const preflightReply = ({ headers }: Response): Response =>
  HEADERS.preflightReply(headers.get('allow') ?? '')
