/**
 * A connection that requests one path after another. If the service closed it while idle, as it
 * does after `HTTP_IDLE_TIMEOUT`, it is opened again.
 */
export type Client = {
  /** Resolves with the last byte of a 200; rejects for any other response. */
  get(path: string): Promise<void>
  close(): void
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /^content-length: (\d+)\r$/im
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * Sends requests over a raw socket: `fetch` reads on another thread and adds a third of a
 * millisecond to each response, more than many responses take.
 */
export function connectClient(
  { hostname, port, pathname }: URL,
  headers: Readonly<Record<string, string>>,
): Client {
  const fields = Object.entries({ host: hostname, ...headers }).map(([k, v]) => `${k}: ${v}\r\n`)
  let waiting: PromiseWithResolvers<void> | null = null
  let request = ''
  /** Reads on; null between two responses. */
  let reading: ((chunk: Buffer) => boolean) | null = null
  const answered = () => {
    const asked = waiting
    waiting = null
    reading = null
    return asked
  }
  let socket: Bun.Socket | null = null
  let hasAnswered = false
  const ask = async () => {
    hasAnswered = false
    try {
      socket = await Bun.connect({ hostname, port: Number(port), socket: { data, close } })
      socket.write(request)
    } catch (error) {
      answered()?.reject(error)
    }
  }
  const data = (_: unknown, chunk: Buffer) => {
    try {
      reading ??= readerOf(chunk)
      if (!reading(chunk)) return
      hasAnswered = true
      answered()?.resolve()
    } catch (error) {
      answered()?.reject(error)
    }
  }
  const close = () => {
    socket = null
    if (waiting && hasAnswered && !reading) void ask()
    else answered()?.reject(new Error('the service closed the connection'))
  }
  return {
    get(path) {
      waiting = Promise.withResolvers<void>()
      const { promise } = waiting
      request = `GET ${pathname}${path} HTTP/1.1\r\n${fields.join('')}\r\n`
      if (socket) socket.write(request)
      else void ask()
      return promise
    },
    close: () => void socket?.end(),
  }
}

/**
 * Returns a function that says of each chunk whether it ends the response; the first chunk holds
 * all headers.
 */
function readerOf(first: Buffer): (chunk: Buffer) => boolean {
  const end = first.indexOf(HEAD_END)
  const head = first.toString('latin1', 0, end + 2)
  if (end < 0 || !head.startsWith('HTTP/1.1 200 ')) throw new Error(`answered ${first.toString()}`)
  const length = LENGTH.exec(head)?.[1]
  if (length === undefined) return endsInLastChunk()
  let missing = end + HEAD_END.length + Number(length)
  return (chunk) => {
    missing -= chunk.length
    return missing <= 0
  }
}

function endsInLastChunk(): (chunk: Buffer) => boolean {
  const size = LAST_CHUNK.length
  let tail = Buffer.alloc(0)
  return (chunk) => {
    tail = Buffer.concat([tail, chunk.subarray(-size)]).subarray(-size)
    return tail.equals(LAST_CHUNK)
  }
}
