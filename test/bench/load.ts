import type { Socket } from 'bun'

export type Load = {
  readonly origin: string
  /** One complete HTTP/1.1 request. Every response must be 200 and state its length. */
  readonly request: string
  readonly connections: number
  readonly seconds: number
}

/**
 * Responses a second to one request, repeated on each of some connections, one at a time. It reads
 * no more of a response than it takes to find its end, so that the generator costs little next to
 * the server.
 */
export async function answersPerSecond(load: Load): Promise<number> {
  const { hostname, port } = new URL(load.origin)
  const endMs = performance.now() + load.seconds * 1000
  const startMs = performance.now()
  const counts = await Promise.all(
    Array.from({ length: load.connections }, () => asked({ ...load, hostname, port, endMs })),
  )
  const answers = counts.reduce((sum, count) => sum + count, 0)
  return (answers * 1000) / (performance.now() - startMs)
}

type Asking = Load & { readonly hostname: string; readonly port: string; readonly endMs: number }

async function asked({ hostname, port, request, endMs }: Asking): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const bytes = Buffer.from(request)
  let count = 0
  let left = 0
  const finish = (socket: Socket) => {
    count += 1
    if (performance.now() < endMs) socket.write(bytes)
    else socket.end()
  }
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(bytes),
      data(socket, chunk) {
        left = left > 0 ? left - chunk.byteLength : restOf(chunk)
        if (left === Number.POSITIVE_INFINITY && isLast(chunk)) left = 0
        if (left === 0) finish(socket)
        else if (left < 0) reject(new Error('more came than was announced'))
      },
      close: () => resolve(count),
      error: (_socket, error) => reject(error),
    },
  })
  return promise
}

/** Reports whether a chunked response ends here. */
const isLast = (chunk: Buffer): boolean =>
  chunk.toString('latin1', chunk.byteLength - 5) === '0\r\n\r\n'

/**
 * The number of bytes that are still to come of the response that starts with this chunk; infinite
 * if it comes in chunks.
 */
function restOf(chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, Math.min(chunk.byteLength, 1500))
  const bodyAt = head.indexOf('\r\n\r\n') + 4
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return Number.POSITIVE_INFINITY
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || bodyAt < 4 || length === undefined)
    throw new Error(`not answered: ${head}`)
  return bodyAt + Number(length) - chunk.byteLength
}
