import type { FetcherDeps } from '~/feed/fetcher.ts'
import { type Pinned, systemOutside } from '~/outbound/connection.ts'
import { clockAt, type HandClock } from '../support/clock.ts'

export type Asked = { readonly path: string; readonly headers: Headers }

/** A local HTTP server for an upstream, which records its requests. */
export type Upstream = {
  readonly origin: string
  readonly asked: Asked[]
  answer: (request: Request) => Response | Promise<Response>
  stop(): void
}

export function startUpstream(answer: Upstream['answer']): Upstream {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push({ path: pathname + search, headers: request.headers })
      return upstream.answer(request)
    },
  })
  const upstream: Upstream = {
    origin: server.url.origin,
    asked,
    answer,
    stop: () => void server.stop(true),
  }
  return upstream
}

/** A server that writes these bytes to every sender, and then cuts the connection. */
export function startRawServer(bytes: string): { origin: string; stop(): void } {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        if (bytes) socket.write(bytes)
        socket.flush()
        if (bytes) socket.end()
        else socket.terminate()
      },
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

/** A public internet address, simulated by this machine. */
export const PUBLIC_ADDRESS = '93.184.216.34'

/**
 * Real fetching without waiting: sleeps are recorded and take no time, deadlines come on demand.
 */
export class Pace implements FetcherDeps {
  readonly slept: number[] = []
  readonly deadlines: { ms: number; controller: AbortController }[] = []

  constructor(readonly clock: HandClock = clockAt('2024-07-29T14:07:00Z')) {}

  /** Connects to this machine for public addresses, and records the requested ones. */
  connect = (request: Pinned) => {
    this.connectedTo.push(request.addresses)
    const addresses = request.addresses.map((at) => (at === PUBLIC_ADDRESS ? '127.0.0.1' : at))
    return systemOutside.connect({ ...request, addresses })
  }
  readonly connectedTo: (readonly string[])[] = []
  random = () => 0.5
  addressesOf = async (host: string): Promise<readonly string[]> => this.names.get(host) ?? [host]
  /** Meanings of host names; an unlisted name means itself. */
  readonly names = new Map<string, readonly string[]>()

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms)
    this.clock.advance(ms)
  }

  deadline(ms: number): AbortSignal {
    const controller = new AbortController()
    this.deadlines.push({ ms, controller })
    return controller.signal
  }

  /** Aborts the current attempt as if its time had expired. */
  runOut(): void {
    this.deadlines.at(-1)!.controller.abort(new Error('late'))
  }
}

export const fixture = (name: string): Promise<string> =>
  Bun.file(new URL(`fixtures/${name}`, import.meta.url)).text()
