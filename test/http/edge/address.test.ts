import { describe, expect, test } from 'bun:test'
import { Addresses } from '~/http/edge/address.ts'
import { listen } from '~/runtime/listener.ts'

function addressOf({ proxies = 0, socket, forwarded }: Case): string {
  const addresses = new Addresses(proxies)
  addresses.follow({ requestIP: () => (socket === null ? null : { address: socket }) })
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return addresses.of(new Request('http://localhost/', { headers }))
}

type Case = { proxies?: number; socket: string | null; forwarded?: string }

describe('Addresses', () => {
  test('the socket gives the address, whatever a header claims', () => {
    expect(addressOf({ socket: '203.0.113.7' })).toBe('203.0.113.7')
    expect(addressOf({ socket: '203.0.113.7', forwarded: '198.51.100.1' })).toBe('203.0.113.7')
  })

  test.each([
    [1, '198.51.100.1', '198.51.100.1'],
    [1, '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    [2, '6.6.6.6, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    [1, ' 198.51.100.1:4711 ', '198.51.100.1'],
    [1, '[2001:db8:1:2::9]:4711', '2001:db8:1:2::/64'],
  ])('behind %i proxies, %p is %p', (proxies, forwarded, address) => {
    expect(addressOf({ proxies, socket: '10.0.0.1', forwarded })).toBe(address)
  })

  test.each([
    [2, '198.51.100.1'],
    [1, ''],
    [1, 'nonsense'],
    [1, '198.51.100.1, unknown'],
    [1, '999.1.1.1'],
  ])('behind %i proxies, %p names no address and the socket counts', (proxies, forwarded) => {
    expect(addressOf({ proxies, socket: '10.0.0.1', forwarded })).toBe('10.0.0.1')
  })

  test('addresses of one IPv6 network count as one, and those of two networks as two', () => {
    const of = (socket: string) => addressOf({ socket })
    expect(of('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(of('2001:0DB8:0001:0002::1')).toBe('2001:db8:1:2::/64')
    expect(of('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(of('::1')).toBe('0:0:0:0::/64')
    expect(of('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
    expect(of('2001:db8:1:3::1')).not.toBe(of('2001:db8:1:2::1'))
  })

  test('an IPv4 address is the same when a dual-stack socket names it', () => {
    expect(addressOf({ socket: '::ffff:203.0.113.7' })).toBe('203.0.113.7')
  })

  test('callers without an address count as one', () => {
    expect(addressOf({ socket: null })).toBe('unknown')
    const unattached = new Addresses(0)
    expect(unattached.of(new Request('http://localhost/'))).toBe('unknown')
  })

  test("a listening server passes the caller's address on", async () => {
    const addresses = new Addresses(0)
    const handle = (request: Request) => new Response(addresses.of(request))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const listener = listen({ host: '127.0.0.1', port: 0 }, { handle, log, addresses })
    expect(await (await fetch(listener.origin)).text()).toBe('127.0.0.1')
    await listener.stop()
  })
})
