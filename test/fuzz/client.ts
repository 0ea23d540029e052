import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
}

const ANSWER_MS_MAX = 15_000
/** The time that a server may take for invalid HTTP. */
const PATIENCE_MS = 300
const HEAD_END = '\r\n\r\n'

type Asking = { readonly isHead: boolean; readonly isWhole: boolean; onSilence(): void }

/** One connection that is reopened whenever it was closed, and sends one request at a time. */
export class Client {
  #socket: Socket | null = null
  #received: Buffer = Buffer.alloc(0)
  #wake: () => void = () => {}
  #isClosed = true

  constructor(private readonly port: number) {}

  /**
   * The response to some bytes; null when the server hung up, or sent nothing: then it calls
   * `onSilence`. `isHead` says that a response has no body whatever it announces, `isWhole` that a
   * response needs no more bytes from the client.
   */
  async ask(bytes: Buffer, { isHead, isWhole, onSilence }: Asking): Promise<RawAnswer | null> {
    if (this.#isClosed) await this.#open()
    this.#received = Buffer.alloc(0)
    this.#socket!.write(new Uint8Array(bytes))
    const timer = setTimeout(
      () => {
        onSilence()
        this.close()
      },
      isWhole ? ANSWER_MS_MAX : PATIENCE_MS,
    )
    for (;;) {
      const answer = taken(this.#received, { isHead, isClosed: this.#isClosed })
      if (answer || this.#isClosed) {
        clearTimeout(timer)
        if (answer?.isLast) this.close()
        return answer?.reply ?? null
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Closes the connection: the next request uses a new one. */
  close(): void {
    this.#socket?.destroy()
    this.#isClosed = true
    this.#wake()
  }

  #open(): Promise<void> {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    this.#isClosed = false
    const ended = () => {
      if (socket !== this.#socket) return
      this.#isClosed = true
      this.#wake()
    }
    socket.on('data', (chunk: Uint8Array | string) => {
      if (socket !== this.#socket) return
      this.#received = Buffer.concat([this.#received, Buffer.from(chunk as Uint8Array)])
      this.#wake()
    })
    socket.on('end', ended).on('close', ended).on('error', ended)
    return new Promise((resolve) => {
      socket.once('connect', resolve).once('close', () => resolve())
    })
  }
}

type Taking = { readonly isHead: boolean; readonly isClosed: boolean }

/**
 * The first whole response among bytes, or the beginning of a stream; `isLast` if nothing can
 * follow it on its connection.
 */
function taken(received: Buffer, taking: Taking): { reply: RawAnswer; isLast: boolean } | null {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return null
  const [first = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(first.split(' ')[1])
  const rest = received.subarray(headEnd + HEAD_END.length)
  if (status < 200) return taken(rest, taking)
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = isStream && !taking.isHead ? firstOf(rest) : bodyOf(rest, headers, status, taking)
  if (!body) return null
  const isLast = isStream || headers.get('connection')?.toLowerCase() === 'close'
  return { reply: { status, headers, text: body.toString() }, isLast }
}

function bodyOf(
  rest: Buffer,
  headers: ReadonlyMap<string, string>,
  status: number,
  { isHead, isClosed }: Taking,
): Buffer | null {
  if (isHead || status === 204 || status === 304) return Buffer.alloc(0)
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return chunked(rest)
  const length = headers.get('content-length')
  if (length === undefined) return isClosed ? rest : null
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : null
}

/** First part of a response without end. */
function firstOf(rest: Buffer): Buffer | null {
  const lineEnd = rest.indexOf('\r\n')
  const start = lineEnd + 2
  return lineEnd >= 0 && rest.length > start ? rest.subarray(start) : null
}

function chunked(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (bytes.length < start + size + 2) return null
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}
