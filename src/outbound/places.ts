import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Range in which a translator (NAT64) puts an IPv4 address, in its last four bytes. */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96')
const TRANSLATED_AT = 12
/** The assigned part of IPv6. */
const GLOBAL = ipaddr.parseCIDR('2000::/3')
/** Address at which a cloud's own service answers its machines: public by its range. */
const CLOUD_SERVICE = ipaddr.parseCIDR('168.63.129.16/32')

/**
 * Reports whether a host is a name of this machine, or an address that the public internet lacks.
 */
function isPrivate(host: string): boolean {
  if (isIP(host) === 0) return /(^|\.)(localhost|local|internal)\.?$/i.test(host)
  const address = ipaddr.process(host)
  if (address.kind() === 'ipv4') return isPrivateAddress(address)
  if (address.match(TRANSLATED))
    return isPrivateAddress(ipaddr.fromByteArray(address.toByteArray().slice(TRANSLATED_AT)))
  return !address.match(GLOBAL) || isPrivateAddress(address)
}

const isPrivateAddress = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() !== 'unicast' || (address.kind() === 'ipv4' && address.match(CLOUD_SERVICE))

/** Resolves a host name; rejects if it has no address. */
export type AddressesOf = (host: string) => Promise<readonly string[]>

/** Private places that may be asked all the same. */
export type AllowedPlaces = {
  hasHost(host: string): boolean
  hasAddress(address: string): boolean
}

/** No private place at all. */
export const NOWHERE: AllowedPlaces = { hasHost: () => false, hasAddress: () => false }
/** Every place, for an address that the operator has set. */
export const ANYWHERE: AllowedPlaces = { hasHost: () => true, hasAddress: () => true }
/** Every host that is not private as written, for use when another host resolves names. */
export const NAMED: AllowedPlaces = {
  hasHost: (host) => !isPrivate(host),
  hasAddress: () => false,
}

/** The places in a list of names of hosts, addresses and networks. Throws for other strings. */
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

/** Resolves a URL's host; the name may be unknown. `addressesOf` rejects for such a name. */
export async function destinationOf(
  hostname: string,
  { addressesOf, allowed }: { addressesOf: AddressesOf; allowed: AllowedPlaces },
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

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
