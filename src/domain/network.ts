const NETWORK = /^(.*:)([0-9a-f]{1,4})::\/64$/
const WIDER_MASK = 0xff00

/**
 * The /56 around a /64 network of IPv6, in the notation of its argument (`2001:db8:1:2::/64`); one
 * customer often has all 256 networks of it. Null for any other address.
 */
export function widerNetworkOf(network: string): string | null {
  const [, before, last] = NETWORK.exec(network) ?? []
  if (before === undefined || last === undefined) return null
  return `${before}${(Number.parseInt(last, 16) & WIDER_MASK).toString(16)}::/56`
}

/** The factor by which a /56 may make more attempts than a /64, as customers share some. */
export const WIDER_SHARES = 4
