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
  ...['::/96', '64:ff9b:1::/48', '100::/64', '2001::/32', '2001:db8::/32', '2002::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
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

/** Where a URL's host leads; nobody may know its name. `addressesOf` rejects for such a name. */
export async function reachOf(
  hostname: string,
  addressesOf: (host: string) => Promise<readonly string[]>,
): Promise<'public' | 'private' | 'unknown'> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isPrivate(host)) return 'private'
  const addresses = await addressesOf(host).catch(() => [])
  if (addresses.length === 0) return 'unknown'
  return addresses.some(isPrivate) ? 'private' : 'public'
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
