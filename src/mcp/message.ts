import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { isNestedTooDeep } from '~/wire/nesting.ts'
import { isRecord } from './arguments.ts'

export type RpcRequest = {
  readonly jsonrpc: '2.0'
  readonly id: string | number
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** The content of one body: its requests, and whether it was a list of messages. */
export type Incoming = { readonly requests: readonly RpcRequest[]; readonly isBatch: boolean }

/** How many messages a body may hold; older clients send several at once. */
export const BATCH_MESSAGES_MAX = 20

/** A fault of the exchange itself: an HTTP status with a JSON-RPC error that answers no request. */
export class RpcFault extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** The error that answers a request that cannot be done; `data` tells a program more. */
export class RpcRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message)
  }
}

/**
 * The messages of a body. Notifications and answers need no reply here, so they are only checked.
 *
 * Throws an RpcFault for a text that is not JSON or not JSON-RPC, or has too many messages.
 */
export function readMessages(text: string): Incoming {
  const body = parsed(text)
  const messages = Array.isArray(body) ? body : [body]
  if (messages.length === 0) throw invalidRequest('the batch is empty')
  if (messages.length > BATCH_MESSAGES_MAX)
    throw invalidRequest(`a batch may hold at most ${BATCH_MESSAGES_MAX} messages`)
  const requests = messages.map(checked).filter((message) => message !== null)
  const isInitializing = requests.some(({ method }) => method === 'initialize')
  if (isInitializing && messages.length > 1)
    throw invalidRequest('initialize must be sent alone, not in a batch')
  return { requests, isBatch: Array.isArray(body) }
}

function parsed(text: string): unknown {
  if (isNestedTooDeep(text)) throw invalidRequest('the body is nested too deeply')
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcFault(400, ErrorCode.ParseError, 'the body is not valid JSON')
  }
}

/** The message as a request, or null for a notification or an answer. */
function checked(message: unknown): RpcRequest | null {
  if (!isRecord(message) || message.jsonrpc !== '2.0')
    throw invalidRequest('the body must be a JSON-RPC 2.0 message')
  const { id, method, params } = message
  const isAnswer = method === undefined && ('result' in message || 'error' in message)
  if (isAnswer) return null
  if (typeof method !== 'string') throw invalidRequest('method must be a text')
  if (params !== undefined && !isRecord(params)) throw invalidRequest('params must be an object')
  if (id === undefined) return null
  if (typeof id !== 'string' && !Number.isSafeInteger(id))
    throw invalidRequest('id must be a text or a whole number')
  return message as RpcRequest
}

export const invalidRequest = (message: string): RpcFault =>
  new RpcFault(400, ErrorCode.InvalidRequest, message)
