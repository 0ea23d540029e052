import { ANY_ORIGIN, CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { streamedBody } from '~/wire/streamed-body.ts'

const PREFLIGHT = new CrossOriginHeaders({
  sent: ['authorization', 'content-type', 'mcp-protocol-version', 'x-request-id'],
  read: ['retry-after', 'x-request-id'],
})

/** The answer to a browser that asks whether a page of another origin may ask. */
export const preflightReply = (methods: string): Response =>
  PREFLIGHT.shared(PREFLIGHT.preflightReply(methods), ANY_ORIGIN)

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Lets pages of any origin read what applications read: nothing here goes by cookies. */
export const SHARED_WITH_PAGES = { 'access-control-allow-origin': '*' }

/** A response to an application, which must not be cached. */
export const machineReply = (body: unknown, status = 200): Response =>
  new Response(streamedBody(JSON.stringify(body)), {
    status,
    headers: { 'content-type': 'application/json', ...SHARED_WITH_PAGES, ...NO_STORE },
  })

/** A refusal in the words of OAuth. https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
export class OAuthFault extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
    this.name = 'OAuthFault'
  }

  reply(): Response {
    const reply = machineReply({ error: this.code, error_description: this.message }, this.status)
    if (this.retryAfterSeconds !== null)
      reply.headers.set('retry-after', String(this.retryAfterSeconds))
    return reply
  }
}
