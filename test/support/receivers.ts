import { createServer, type Socket } from 'node:net'

/** A server that passes the connection of every request to `answer`. */
export async function rawReceiver(answer: (socket: Socket, head: string) => void) {
  const sockets = new Set<Socket>()
  const asked = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<number>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      closed.resolve(socket.bytesWritten)
    })
    socket.once('data', (data) => {
      asked.resolve()
      answer(socket, data.toString())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    /** Resolves at the first request. */
    asked: asked.promise,
    /** Resolves at the end of the first connection, with the bytes that were written to it. */
    closed: closed.promise,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Writes without end, as fast as the other side reads. */
export function flood(socket: Socket, chunk: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more)
  more()
}

/** One message as received. */
export type Received = {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * A server over HTTP that retains its requests, and returns the result of `answer`; 204 without it.
 */
export function receiver(
  answer: (received: Received) => Response | Promise<Response> = () =>
    new Response(null, { status: 204 }),
  options: { hostname?: string; port?: number; tls?: { key: string; cert: string } } = {},
) {
  const got: Received[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...options,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const headers = Object.fromEntries(request.headers)
      const received = { path, headers, body: await request.text() }
      got.push(received)
      for (const { count, resolve } of waiting) if (got.length >= count) resolve()
      return answer(received)
    },
  })
  return {
    got,
    port: server.port!,
    url: `http://127.0.0.1:${server.port}/hook`,
    /** Resolves when there are `count` messages. */
    async until(count: number): Promise<readonly Received[]> {
      if (got.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }))
      return got
    },
    stop: () => server.stop(true),
    [Symbol.dispose]() {
      void server.stop(true)
    },
  }
}
