import { describe, expect, test } from 'bun:test'
import { ANYWHERE, allowedPlaces, destinationOf, NAMED, NOWHERE } from '~/outbound/places.ts'

const reachOf = async (host: string, addresses: readonly string[] = [], allowed = NOWHERE) =>
  (await destinationOf(host, { addressesOf: async () => addresses, allowed })).reach

/** Addresses of each special range of IANA's registries, and of clouds, which are not public. */
const SPECIAL = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.1.2.3', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.0', '192.88.99.255'],
  ...['192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
  ...['239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['::', '::1', '::7f00:1', '::10.0.0.1', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
  ...['::ffff:168.63.129.16', '::ffff:0:a9fe:a9fe', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe'],
  ...['64:ff9b::168.63.129.16', '64:ff9b:1::1', '100::1', '100:0:0:1::1', '2001::1'],
  ...['2001:2::1', '2001:db8::1', '2002:a00:1::1', '2002:5db8:d822::1', '3fff::1'],
  ...['3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::1', '5f00::1', 'fc00::1', 'fd00::7'],
  ...['fe80::1', 'fe80::1%lo', 'fec0::1', 'ff02::1'],
]
const PUBLIC = [
  ...['1.1.1.1', '93.184.216.34', '100.63.255.255', '100.128.0.0', '168.63.129.15', '172.32.0.1'],
  ...['168.63.129.17', '192.88.98.255', '192.88.100.0', '192.167.255.255', '223.255.255.255'],
  ...['2606:4700::1111', '2a00:1450::1', '3ffe:ffff::1', '64:ff9b::5db8:d822', '::ffff:1.1.1.1'],
]

describe('destinationOf', () => {
  test.each(SPECIAL)('%s is private, as it is written and behind a name', async (address) => {
    const written = address.includes(':') ? `[${address}]` : address
    expect(await reachOf(written)).toBe('private')
    expect(await reachOf('a.example', ['1.1.1.1', address])).toBe('private')
    expect(await reachOf('a.example', [address], ANYWHERE)).toBe('allowed')
  })

  test.each(PUBLIC)('%s is public', async (address) => {
    expect(await reachOf('a.example', [address])).toBe('public')
    expect(await reachOf(address.includes(':') ? `[${address}]` : address)).toBe('public')
  })

  test('a name of this machine is private without a lookup', async () => {
    for (const host of ['localhost', 'a.localhost', 'printer.local.', 'metadata.google.internal'])
      expect(await reachOf(host, ['1.1.1.1'])).toBe('private')
  })

  test('a name without an address is unknown', async () => {
    expect(await reachOf('a.example')).toBe('unknown')
  })

  test('a host is named without a lookup of ours, unless it is written as a private one', async () => {
    expect(await reachOf('a.example', ['127.0.0.1'], NAMED)).toBe('allowed')
    for (const host of ['10.0.0.1', '[::1]', 'localhost'])
      expect(await reachOf(host, ['127.0.0.1'], NAMED)).toBe('private')
  })
})

describe('allowedPlaces', () => {
  test.each(['10.0.0.0/33', '10.0.0.0/x', 'a b', '', 'a.example/8'])('refuses %p', (place) => {
    expect(() => allowedPlaces([place])).toThrow()
  })
})
