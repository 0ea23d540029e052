import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { CHALLENGE, ERROR_STATUS, UNAUTHORIZED } from '~/wire/errors.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import type { ReplyForm } from './accept.ts'
import { failureBody } from './call.ts'
import { RpcFault } from './message.ts'
import type { Answered } from './server.ts'

type Extra = Readonly<Record<string, string>>

const jsonReply = (body: unknown, status: number, headers: Extra = {}): Response =>
  new Response(streamedBody(JSON.stringify(body)), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

type Messages = {
  readonly replies: readonly Answered[]
  readonly form: ReplyForm
  readonly isBatch: boolean
  /** The headers of a reply in JSON. */
  readonly headers: Headers
}

/** The reply to a POST: nothing, one message or a list, or these as events. */
export function messagesReply({ replies, form, isBatch, headers }: Messages): Response {
  const texts = replies.map(({ text }) => text)
  if (texts.length > 0 && form === 'json')
    return new Response(streamedBody(isBatch ? `[${texts.join()}]` : texts[0]!), { headers })
  const others = new Headers(headers)
  others.delete('content-type')
  if (texts.length === 0) return new Response(null, { status: 202, headers: others })
  others.set('content-type', 'text/event-stream')
  others.set('cache-control', 'no-cache')
  const events = texts.map((text) => `event: message\ndata: ${text}\n\n`)
  return new Response(streamedBody(events.join('')), { headers: others })
}

/** The reply to a failure: REST's body before the key is known, a JSON-RPC error after. */
export function faultReply(error: unknown, log: Log): Response {
  if (error instanceof RpcFault) {
    const { code, message, status, headers } = error
    return jsonReply({ jsonrpc: '2.0', id: null, error: { code, message } }, status, headers)
  }
  const body = failureBody(error, log)
  if (!(error instanceof ServiceError)) {
    const fault = { code: ErrorCode.InternalError, message: body.error }
    return jsonReply({ jsonrpc: '2.0', id: null, error: fault }, 500)
  }
  const { allowed } = error.details as { allowed?: string[] }
  const status = ERROR_STATUS[error.code]
  if (status === UNAUTHORIZED) return jsonReply(body, status, CHALLENGE)
  return jsonReply(body, status, allowed && { allow: allowed.join(', ') })
}

const HEADERS = new CrossOriginHeaders({
  sent: [
    'accept',
    'authorization',
    'content-type',
    'last-event-id',
    'mcp-protocol-version',
    'mcp-session-id',
    'traceparent',
    'tracestate',
    'x-api-key',
    'x-request-id',
  ],
  read: [
    'mcp-session-id',
    'ratelimit',
    'ratelimit-policy',
    'www-authenticate',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
  ],
})

/** The reply to OPTIONS, with or without a browser's preflight behind it. */
export function optionsReply(methods: readonly string[]): Response {
  const reply = HEADERS.preflightReply(methods.join(', '))
  reply.headers.set('allow', methods.join(', '))
  return reply
}

/** Lets a page of this origin read the reply. */
export const withOrigin = (reply: Response, origin: string): Response =>
  HEADERS.shared(reply, origin)
