import { describe, expect, test } from 'bun:test'
import { widerNetworkOf } from '~/domain/network.ts'

describe('widerNetworkOf', () => {
  test.each([
    ['2001:db8:1:2::/64', '2001:db8:1:0::/56'],
    ['2001:db8:1:2ff::/64', '2001:db8:1:200::/56'],
    ['2001:db8:1:ffff::/64', '2001:db8:1:ff00::/56'],
    ['0:0:0:0::/64', '0:0:0:0::/56'],
  ])('%s is in %s', (network, wider) => {
    expect(widerNetworkOf(network)).toBe(wider)
  })

  test.each(['192.0.2.1', 'unknown', '', '2001:db8:1:2::/56', '::/64'])(
    '%p is in none',
    (address) => {
      expect(widerNetworkOf(address)).toBeNull()
    },
  )
})
