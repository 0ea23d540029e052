import { connect, type Socket } from 'node:net'
import { type Listener, listen } from '~/runtime/listener.ts'
import { World } from '../support/world.ts'
import { MemoryStore } from './memory-store.ts'

const ANSWER_MS_MAX = 5000

/** A response as it was on the wire. */
export type RawReply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
  readonly body: any
}

/** A world behind a real port, accessed byte by byte. */
export class LiveServer {
  readonly store: MemoryStore
  readonly world: World
  readonly port: number
  readonly origin: string
  /** Called with every request that reaches the service. */
  onRequest: (request: Request) => void = () => {}
  readonly #listener: Listener

  constructor(store = new MemoryStore(), endSeconds?: number) {
    this.store = store
    this.world = new World({ store: this.store, endSeconds })
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const handle = (request: Request) => {
      this.onRequest(request)
      return this.world.app.fetch(request)
    }
    this.#listener = listen(
      { host: '127.0.0.1', port: 0 },
      { handle, exact: this.world.app.exact, log, patience: this.world.streams.patience },
    )
    this.origin = this.#listener.origin
    this.port = Number(new URL(this.#listener.origin).port)
  }

  stop(): Promise<void> {
    return this.#listener.stop()
  }

  /** A new connection. */
  open(): Conversation {
    return new Conversation(this.port)
  }

  /** Sends bytes, and returns the server's responses until there are `count` or it has hung up. */
  async say(bytes: string | Buffer | readonly (string | Buffer)[], count = 1): Promise<RawReply[]> {
    const conversation = this.open()
    conversation.send(bytes)
    const replies = await conversation.replies(count)
    conversation.end()
    return replies
  }

  /** The response to one request, its lines joined by CRLF; `lines[0]` is the request line. */
  async ask(lines: readonly string[], body: string | Buffer = ''): Promise<RawReply> {
    const [reply] = await this.say([requestOf(lines), body])
    if (!reply) throw new Error(`the server hung up on ${lines[0]}`)
    return reply
  }
}

export const requestOf = ([first, ...headers]: readonly string[]): string =>
  [first, 'Host: localhost', ...headers, '', ''].join('\r\n')

class Conversation {
  readonly closed: Promise<void>
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #isClosed = false
  #wake: () => void = () => {}

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, Buffer.from(bytes as Uint8Array)])
      this.#wake()
    })
    this.#socket.on('error', () => {})
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', () => {
        this.#isClosed = true
        this.#wake()
        resolve()
      })
    })
  }

  send(bytes: string | Buffer | readonly (string | Buffer)[]): void {
    const parts = typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes
    for (const part of parts)
      this.#socket.write(typeof part === 'string' ? part : new Uint8Array(part))
  }

  /** Sends each part in a separate packet, a turn after the previous one. */
  async sendApart(parts: readonly (string | Buffer)[]): Promise<void> {
    this.#socket.setNoDelay(true)
    for (const part of parts) {
      this.send(part)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  end(): void {
    this.#socket.destroy()
  }

  /** The next `count` responses; fewer when the server hangs up before. */
  async replies(count: number): Promise<RawReply[]> {
    const replies: RawReply[] = []
    const deadline = setTimeout(() => this.#socket.destroy(), ANSWER_MS_MAX)
    while (replies.length < count) {
      const taken = takeReply(this.#received)
      if (taken) {
        this.#received = taken.rest
        replies.push(taken.reply)
      } else if (this.#isClosed) break
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
    clearTimeout(deadline)
    return replies
  }
}

/** The first whole response in the received bytes, without `100 Continue`. */
function takeReply(received: Buffer): { reply: RawReply; rest: Buffer } | null {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return null
  const [first = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(first.split(' ')[1])
  if (status === 100) return takeReply(received.subarray(headEnd + 4))
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  )
  const end = headEnd + 4 + Number(headers.get('content-length') ?? 0)
  if (received.length < end) return null
  const text = received.subarray(headEnd + 4, end).toString()
  const isJson = headers.get('content-type') === 'application/json'
  return {
    reply: { status, headers, text, body: isJson ? JSON.parse(text) : null },
    rest: received.subarray(end),
  }
}
