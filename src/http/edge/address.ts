import { isIP, isIPv4 } from 'node:net'

/** The address that a limit counts by: an IPv4 address, or the /64 network of an IPv6 one. */
export type AddressOf = (request: Request) => string

/** Represents every caller whose address is not known. */
const UNKNOWN = 'unknown'

/**
 * Finds the origin of requests: the other end of the socket, or `X-Forwarded-For` when there are
 * `proxies` trusted proxies in front of the service.
 *
 * Each proxy appends the address that called it, so with n of them the n-th entry from the right is
 * the leftmost one that no outsider can have written.
 */
export class Addresses {
  #socketAddressOf: (request: Request) => string | null = () => null

  constructor(private readonly proxies: number) {}

  /** Looks sockets up in this server from now on. */
  follow(server: { requestIP(request: Request): { address: string } | null }): void {
    this.#socketAddressOf = (request) => server.requestIP(request)?.address ?? null
  }

  readonly of: AddressOf = (request) => {
    const forwarded = this.proxies > 0 ? request.headers.get('x-forwarded-for') : null
    const named = forwarded && addressIn(forwarded.split(',').at(-this.proxies) ?? '')
    return networkOf(named || this.#socketAddressOf(request))
  }
}

const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/i

/** The address in an entry of `X-Forwarded-For`, which may have a port; null when there is none. */
function addressIn(entry: string): string | null {
  const text = entry.trim()
  const [, v6, v4] = WITH_PORT.exec(text) ?? []
  const address = v6 ?? v4 ?? text
  return isIP(address) === 0 ? null : address
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const GROUPS = 8
const NETWORK_GROUPS = 4

/** The network of an address; a customer with one IPv6 address has 2^64 of them. */
function networkOf(address: string | null): string {
  if (!address || isIP(address) === 0) return UNKNOWN
  const v4 = MAPPED.exec(address)?.[1] ?? address
  if (isIPv4(v4)) return v4
  const [head = '', tail] = address.toLowerCase().replace(/%.*/, '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const gap = tail === undefined ? 0 : GROUPS - groups.length - rest.length
  const all = [...groups, ...Array<string>(Math.max(0, gap)).fill('0'), ...rest]
  const network = all.slice(0, NETWORK_GROUPS).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
