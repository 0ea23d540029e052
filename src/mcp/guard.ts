import { ServiceError } from '~/domain/errors.ts'

export type GuardOptions = {
  /** Host names allowed in `Host` besides the loopback ones; `*` for any. */
  readonly allowedHosts: readonly string[]
  /** Origins allowed in `Origin` besides the loopback ones; `*` for any. */
  readonly allowedOrigins: readonly string[]
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Keeps out a page whose host name was made to resolve to this machine (DNS rebinding). */
export class Guard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>

  constructor({ allowedHosts, allowedOrigins }: GuardOptions) {
    this.#hosts = new Set([...LOOPBACK, ...allowedHosts.map((host) => host.toLowerCase())])
    this.#origins = new Set(allowedOrigins)
  }

  /** Throws `forbidden` unless both are allowed; a client that is not a browser sends no Origin. */
  check({ headers, url }: Request): void {
    if (!this.#isAllowedHost(headers.get('host') ?? new URL(url).host))
      throw new ServiceError(
        'forbidden',
        'the Host header names no address of this service; the operator can allow it in ' +
          'MCP_ALLOWED_HOSTS',
      )
    const origin = headers.get('origin')
    if (origin !== null && !this.isAllowedOrigin(origin))
      throw new ServiceError(
        'forbidden',
        'this Origin is not allowed; the operator can allow it in MCP_ALLOWED_ORIGINS',
      )
  }

  isAllowedOrigin(origin: string): boolean {
    if (this.#origins.has('*') || this.#origins.has(origin)) return true
    if (!URL.canParse(origin)) return false
    const { protocol, hostname } = new URL(origin)
    return /^https?:$/.test(protocol) && LOOPBACK.includes(hostname)
  }

  #isAllowedHost(host: string): boolean {
    if (this.#hosts.has('*')) return true
    const name = HOST.exec(host.toLowerCase())?.[1]
    return name !== undefined && this.#hosts.has(name)
  }
}

/** A host name or address, an IPv6 one in brackets, with an optional port. */
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/
