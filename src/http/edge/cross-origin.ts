import type { Fetch } from '~/http/handler.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

const ANY = '*'

/** How long browsers remember a preflight's answer. */
const PREFLIGHT_SECONDS = 600

const SENT_HEADERS = [
  'content-type',
  'idempotency-key',
  'if-none-match',
  'traceparent',
  'tracestate',
  'x-api-key',
  REQUEST_ID_HEADER,
].join(', ')

const READ_HEADERS = [
  'etag',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-as-of',
  'www-authenticate',
  'x-data-freshness',
  'x-note',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  REQUEST_ID_HEADER,
].join(', ')

const METHOD_NOT_ALLOWED = 405

/**
 * Lets pages of these origins, or of any by `*`, call the interface; never with cookies.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins)
  }

  /** The handler's answer, with headers that let a page of an allowed origin read it. */
  answered(handle: Fetch, request: Request): Response | Promise<Response> {
    const reply = handle(request)
    return reply instanceof Promise
      ? reply.then((late) => this.#shared(request, late))
      : this.#shared(request, reply)
  }

  #shared(request: Request, own: Response): Response {
    const reply = isPreflight(request, own) ? preflightReply(own) : own
    if (this.#origins.has(ANY)) return allow(reply, ANY)
    const vary = reply.headers.get('vary')
    reply.headers.set('vary', vary ? `${vary}, Origin` : 'Origin')
    const origin = request.headers.get('origin')
    return origin !== null && this.#origins.has(origin) ? allow(reply, origin) : reply
  }
}

/** Whether this is a browser's preflight about an existing path. */
const isPreflight = ({ method, headers }: Request, { status }: Response): boolean =>
  method === 'OPTIONS' &&
  status === METHOD_NOT_ALLOWED &&
  headers.has('origin') &&
  headers.has('access-control-request-method')

/** The reply to a preflight. OPTIONS itself gets a 405, which names the methods of the path. */
const preflightReply = ({ headers }: Response): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': headers.get('allow') ?? '',
      'access-control-allow-headers': SENT_HEADERS,
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
  })

function allow(reply: Response, origin: string): Response {
  reply.headers.set('access-control-allow-origin', origin)
  reply.headers.set('access-control-expose-headers', READ_HEADERS)
  return reply
}
