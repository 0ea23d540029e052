import type { Config } from '~/config.ts'
import type { Addresses } from '~/http/edge/address.ts'
import type { ConnectionLimiter, Room, Threshold } from '~/http/edge/connection-limiter.ts'
import { guardHeaders } from '~/http/edge/guard-headers.ts'
import type { Patience } from '~/http/edge/patience.ts'
import { newRequestId, REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import type { Log } from '~/log.ts'
import { descriptorsMax, openDescriptors } from '~/telemetry/descriptors.ts'
import { ERROR_STATUS, INTERNAL_ERROR } from '~/wire/errors.ts'

export type Listener = {
  /** The address, `http://host:port`, with the actual port. */
  readonly origin: string
  /** Accepts nothing more; resolves when requests are completed, or after a few seconds. */
  stop(): Promise<void>
}

/**
 * The server's own limit on bodies, which is switched off: it would return a bare 413 without JSON.
 * Each route has its limit and reads no further; the rest is discarded as it arrives.
 */
const BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER
const IDLE_MS_MAX = 30_000
const STOP_WAIT_MS = 5000

/** The address to listen on; several workers can share a port and its connections. */
type Address = Pick<Config, 'host' | 'port'> &
  Partial<Pick<Config, 'workers' | 'idleTimeoutMs' | 'publicUrl'>>

type Handle = (request: Request) => Response | Promise<Response>

type Serving = {
  readonly handle: Handle
  /** Handlers for paths that have to be sent exactly so, before dots are resolved. */
  readonly exact?: Readonly<Record<string, Handle>>
  readonly log: Log
  readonly addresses?: Addresses
  readonly patience?: Patience
}

/** Listens for HTTP. Throws a sentence for the operator when the address is not available. */
export function listen(
  address: Address,
  { limiter, ...serving }: Serving & { limiter?: ConnectionLimiter },
): Listener {
  const servers = new Servers(address, serving)
  const timer = setInterval(() => limiter?.check(ROOM, servers), CHECK_MS)
  return {
    origin: originAt({ host: address.host, port: servers.port }),
    async stop() {
      clearInterval(timer)
      await servers.stop()
    },
  }
}

const CHECK_MS = 100
const ROOM: Room = { open: openDescriptors, max: descriptorsMax() }

/** The server that listens, and earlier ones that only finish their connections. */
class Servers implements Threshold {
  readonly port: number
  readonly #all = new Set<HttpServer>()
  #listening: HttpServer

  constructor(
    private readonly address: Address,
    private readonly serving: Serving,
  ) {
    this.#listening = this.#begin(address.port)
    this.port = this.#listening.port!
  }

  dropIdle(): void {
    for (const server of this.#all) server.closeIdleConnections()
  }

  shut(): void {
    const server = this.#listening
    const forget = () => this.#all.delete(server)
    server.stop().then(forget, forget)
  }

  reopen(): void {
    this.#listening = this.#begin(this.port)
  }

  async stop(): Promise<void> {
    const all = [...this.#all]
    const drained = Promise.all(all.map((server) => server.stop()))
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, STOP_WAIT_MS)
    await Promise.race([drained, deadline.promise])
    clearTimeout(timer)
    await Promise.all(all.map((server) => server.stop(true)))
  }

  #begin(port: number): HttpServer {
    const server = serverOn({ ...this.address, port }, this.serving)
    this.serving.addresses?.follow(server)
    this.serving.patience?.follow(server)
    this.#all.add(server)
    return server
  }
}

/** The address by which a person on this machine reaches the listener. */
export function originAt({ host, port }: Pick<Config, 'host' | 'port'>): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

export function freePort(host: string): number {
  const probe = Bun.listen({ hostname: host, port: 0, socket: { data() {} } })
  probe.stop(true)
  return probe.port
}

/**
 * The port to share, a free one for 0. Throws a sentence for the operator if another program
 * listens on it, which would get a part of the connections.
 */
export function unsharedPort({ host, port }: Address): number {
  try {
    const probe = Bun.listen({ hostname: host, port, socket: { data() {} } })
    probe.stop(true)
    return probe.port
  } catch (error) {
    throw cannotListen(error, { host, port })
  }
}

const SCHEME_START = 'http://'.charCodeAt(0)

/** A request with a full URL; without a usable Host it is a bare path, which no router takes. */
function addressed(request: Request): Request {
  const { url } = request
  if (url.charCodeAt(0) === SCHEME_START) return request
  return new Request(`http://localhost${url.startsWith('/') ? url : '/'}`, request)
}

/** Bun's server with a method that its types lack. */
type HttpServer = Bun.Server<undefined> & { closeIdleConnections(): void }

function serverOn(
  { host, port, workers = 1, idleTimeoutMs = IDLE_MS_MAX, publicUrl = null }: Address,
  { handle, exact = {}, log }: Serving,
): HttpServer {
  try {
    return Bun.serve({
      hostname: host,
      port,
      reusePort: workers > 1,
      fetch: (request) => handle(addressed(request)),
      routes: mapped(exact, (own) => (request: Request) => own(addressed(request))),
      maxRequestBodySize: BODY_BYTES_MAX,
      idleTimeout: idleTimeoutMs / 1000,
      development: false,
      error(err) {
        const id = newRequestId()
        log.error({ request_id: id, err }, 'request failed')
        const headers = { ...guardHeaders(publicUrl), [REQUEST_ID_HEADER]: id }
        return Response.json(INTERNAL_ERROR, { status: ERROR_STATUS.internal_error, headers })
      },
    }) as HttpServer
  } catch (error) {
    throw cannotListen(error, { host, port })
  }
}

const mapped = <T, U>(record: Readonly<Record<string, T>>, of: (value: T) => U) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]))

function cannotListen(error: unknown, { host, port }: Address): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const reason = code === 'EADDRINUSE' ? 'the port is taken' : message
  return new Error(`cannot listen on ${host}:${port} (${reason}); set HOST and PORT`)
}
