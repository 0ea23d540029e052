import { BlockList, isIP } from 'node:net'

/** Where a translator (NAT64) puts the 32 bits of an IPv4 address. */
const TRANSLATED = { prefix: '64:ff9b::', bits: 96 }

/**
 * Networks that the public internet does not reach: ours, this machine's, a cloud's metadata; and
 * those that only carried IPv4 in IPv6, to wherever its address leads (2001::/32, 2002::/16).
 */
const NETWORKS = new BlockList()
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '::ffff:0:0:0/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2001:db8::/32'],
  ...['2002::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]) {
  const [address, bits] = network.split('/') as [string, string]
  const family = familyOf(address)
  NETWORKS.addSubnet(address, Number(bits), family)
  if (family === 'ipv4')
    NETWORKS.addSubnet(TRANSLATED.prefix + address, TRANSLATED.bits + Number(bits), 'ipv6')
}

/** Whether a host is a name of this machine, or an address that the public internet lacks. */
function isPrivate(host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)(localhost|local|internal)\.?$/i.test(host)
  return NETWORKS.check(host, familyOf(host))
}

type AddressesOf = (host: string) => Promise<readonly string[]>

/** Private places that may be asked all the same. */
export type AllowedPlaces = {
  hasHost(host: string): boolean
  hasAddress(address: string): boolean
}

const NOWHERE: AllowedPlaces = { hasHost: () => false, hasAddress: () => false }

/** The places in a list of names of hosts, addresses and networks. Throws for other texts. */
export function allowedPlaces(places: readonly string[]): AllowedPlaces {
  const networks = new BlockList()
  const hosts = new Set<string>()
  for (const place of places) {
    const [address, bits] = place.split('/') as [string, string?]
    if (isIP(address) !== 0) networks.addSubnet(address, bitsOf(address, bits), familyOf(address))
    else if (bits === undefined && HOST_NAME.test(place)) hosts.add(place.toLowerCase())
    else throw new Error(`${place} is neither a host, nor an address, nor a network`)
  }
  return {
    hasHost: (host) => hosts.has(host),
    hasAddress: (address) => isIP(address) !== 0 && networks.check(address, familyOf(address)),
  }
}

const HOST_NAME = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i
const BITS = /^\d{1,3}$/

function bitsOf(address: string, bits: string | undefined): number {
  const bitsMax = familyOf(address) === 'ipv4' ? 32 : 128
  const count = bits === undefined ? bitsMax : Number(BITS.exec(bits)?.[0] ?? Number.NaN)
  if (!(count <= bitsMax)) throw new Error(`${address}/${bits} is not a network`)
  return count
}

type Destination = {
  /** `allowed`: a place that a setting names, and whose address may be private. */
  readonly reach: 'public' | 'allowed' | 'private' | 'unknown'
  /** The addresses that were looked at, and the only ones to connect to. */
  readonly addresses: readonly string[]
}

/** Where a URL's host leads; nobody may know its name. `addressesOf` rejects for such a name. */
export async function destinationOf(
  hostname: string,
  { addressesOf, allowed = NOWHERE }: { addressesOf: AddressesOf; allowed?: AllowedPlaces },
): Promise<Destination> {
  const host = hostname.replace(/^\[|\]$|\.$/g, '')
  const addresses = isIP(host) === 0 ? await addressesOf(host).catch(() => []) : [host]
  const isAllowed =
    allowed.hasHost(host) || (addresses.length > 0 && addresses.every(allowed.hasAddress))
  if (isPrivate(host) && !isAllowed) return { reach: 'private', addresses: [] }
  if (addresses.length === 0) return { reach: 'unknown', addresses }
  if (isAllowed) return { reach: 'allowed', addresses }
  const isReachable = addresses.every((at) => !isPrivate(at) || allowed.hasAddress(at))
  return isReachable ? { reach: 'public', addresses } : { reach: 'private', addresses: [] }
}

/** Where a URL's host leads, if no private place is allowed. */
export const reachOf = async (hostname: string, addressesOf: AddressesOf) =>
  (await destinationOf(hostname, { addressesOf })).reach

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
