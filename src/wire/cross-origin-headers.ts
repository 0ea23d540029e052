export const ANY_ORIGIN = '*'

const PREFLIGHT_SECONDS = 600

/** The names of headers that pages may send, and of those that they may read, with commas. */
type Rules = { readonly sent: string; readonly read: string }

/**
 * The headers by which pages of other origins may call an address, never with cookies.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export class CrossOriginHeaders {
  constructor(private readonly rules: Rules) {}

  preflightReply(methods: string): Response {
    return new Response(null, {
      status: 204,
      headers: {
        'access-control-allow-methods': methods,
        'access-control-allow-headers': this.rules.sent,
        'access-control-max-age': String(PREFLIGHT_SECONDS),
      },
    })
  }

  /**
   * Lets pages of `origin` read a reply: of any origin by `*`, of none by null. Unless it is for
   * any, the reply says that it varies by the origin.
   */
  shared(reply: Response, origin: string | null): Response {
    const { headers } = reply
    if (origin !== ANY_ORIGIN) headers.append('vary', 'Origin')
    if (origin === null) return reply
    headers.set('access-control-allow-origin', origin)
    headers.set('access-control-expose-headers', this.rules.read)
    return reply
  }
}
