import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo } from '@modelcontextprotocol/sdk/types.js'
import type { Caller } from '~/domain/account.ts'
import type { RpcRequest } from './message.ts'

/** The caller of a request, and when it came in. */
export type Asker = { readonly caller: Caller; readonly nowMs: number }

export type RpcReply = {
  readonly jsonrpc: '2.0'
  readonly id: RpcRequest['id']
  readonly result?: unknown
  readonly error?: unknown
}

/**
 * The transport between many HTTP requests and one protocol server.
 *
 * Each request gets an id of our own, so that those of clients cannot clash, and its reply gets
 * back the client's. The SDK's own HTTP transport wants a fresh server for every request without a
 * session, which takes several times as long as the work itself.
 */
export class Exchange implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #waiting = new Map<number, (reply: RpcReply) => void>()
  #count = 0

  /** How many requests have no reply yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || typeof message.id !== 'number') return
    const resolve = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    resolve?.(message as RpcReply)
  }

  /** The server's reply to one request; a failed request gets a reply too. */
  async ask(request: RpcRequest, asker: Asker): Promise<RpcReply> {
    const id = ++this.#count
    const { promise, resolve } = Promise.withResolvers<RpcReply>()
    this.#waiting.set(id, resolve)
    this.onmessage?.({ ...request, id } as JSONRPCMessage, { authInfo: authInfoOf(asker) })
    return { ...(await promise), id: request.id }
  }
}

type AuthInfo = NonNullable<MessageExtraInfo['authInfo']>

const authInfoOf = (asker: Asker): AuthInfo => ({
  token: '',
  clientId: asker.caller.account.id,
  scopes: [],
  extra: { asker },
})

/** The asker of a request, as the server passes it to a handler. */
export const askerOf = ({ authInfo }: MessageExtraInfo): Asker => authInfo?.extra?.asker as Asker
