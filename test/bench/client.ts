/** A connection that asks for one path after another. */
export type Client = {
  /** Resolves when the last byte of a 200 is there; rejects for any other answer. */
  get(path: string): Promise<void>
  close(): void
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /^content-length: (\d+)\r$/im
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * Asks over a socket by hand: `fetch` reads on another thread and adds a third of a millisecond to
 * each answer, more than many answers take.
 */
export async function connectClient(
  { hostname, port, pathname }: URL,
  headers: Readonly<Record<string, string>>,
): Promise<Client> {
  const fields = Object.entries({ host: hostname, ...headers }).map(([k, v]) => `${k}: ${v}\r\n`)
  let waiting = Promise.withResolvers<void>()
  /** Reads on; null between two answers. */
  let reading: ((chunk: Buffer) => boolean) | null = null
  const take = (chunk: Buffer) => {
    reading ??= readerOf(chunk)
    if (!reading(chunk)) return
    reading = null
    waiting.resolve()
  }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, chunk) {
        try {
          take(chunk)
        } catch (error) {
          waiting.reject(error)
        }
      },
      close: () => waiting.reject(new Error('the service closed the connection')),
    },
  })
  return {
    get(path) {
      waiting = Promise.withResolvers<void>()
      socket.write(`GET ${pathname}${path} HTTP/1.1\r\n${fields.join('')}\r\n`)
      return waiting.promise
    },
    close: () => void socket.end(),
  }
}

/** Tells of each part of an answer whether it is the last; the first holds the whole head. */
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
