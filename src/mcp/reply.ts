import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { ServiceError } from '~/domain/errors.ts'
import type { Log } from '~/log.ts'
import { CrossOriginHeaders } from '~/wire/cross-origin-headers.ts'
import { ERROR_STATUS, errorHeaders } from '~/wire/errors.ts'
import { failureBody } from './call.ts'
import { RpcFault } from './fault.ts'

type Extra = Readonly<Record<string, string>>

const jsonReply = (body: unknown, status: number, headers: Extra = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

/** The reply to a failure: REST's body before the key is known, a JSON-RPC error after. */
export function faultReply(error: unknown, log: Log): Response {
  if (error instanceof RpcFault) {
    const { code, message, status } = error
    return jsonReply({ jsonrpc: '2.0', id: null, error: { code, message } }, status)
  }
  const body = failureBody(error, log)
  if (!(error instanceof ServiceError)) {
    const fault = { code: ProtocolErrorCode.InternalError, message: body.error }
    return jsonReply({ jsonrpc: '2.0', id: null, error: fault }, 500)
  }
  return jsonReply(body, ERROR_STATUS[error.code], errorHeaders(error))
}

const HEADERS = new CrossOriginHeaders({
  sent: [
    'accept',
    'authorization',
    'content-type',
    'mcp-method',
    'mcp-name',
    'mcp-protocol-version',
    'traceparent',
    'tracestate',
    'x-api-key',
    'x-request-id',
  ],
  read: [
    'ratelimit',
    'ratelimit-policy',
    'retry-after',
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
