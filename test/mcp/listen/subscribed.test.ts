import { describe, expect, test } from 'bun:test'
import { ProtocolError } from '@modelcontextprotocol/server'
import { ServiceError } from '~/domain/errors.ts'
import { addressesIn, subscribedTo } from '~/mcp/listen/subscribed.ts'
import { Memory } from '~/memory/memory.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'

const memory = new Memory()
memory.publish({ catalogue: { currencies: CURRENCIES, providers: PROVIDERS } }, 0)
const { catalogue } = memory.current

const listen = (notifications: unknown) => ({
  method: 'subscriptions/listen',
  params: { notifications },
})

describe('addressesIn', () => {
  test('returns the addresses of a subscription, without duplicates', () => {
    const resourceSubscriptions = ['corridor://a', 'corridor://b', 'corridor://a']
    expect(addressesIn(listen({ resourceSubscriptions }))).toEqual(['corridor://a', 'corridor://b'])
  })

  test.each([
    [null],
    [5],
    [[listen({ resourceSubscriptions: ['corridor://a'] })]],
    [{ method: 'resources/subscribe', params: { uri: 'corridor://a' } }],
    [{ method: 'subscriptions/listen' }],
    [listen({ toolsListChanged: true })],
    [listen({ resourceSubscriptions: [] })],
    [listen({ resourceSubscriptions: 'corridor://a' })],
    [listen({ resourceSubscriptions: ['corridor://a', 5] })],
  ])('returns none for %j', (sent) => {
    expect(addressesIn(sent)).toBeNull()
  })
})

describe('subscribedTo', () => {
  test('recognises each corridor by all its addresses, and the catalogue by its own', () => {
    const addresses = [
      'corridor://rates/USD/KES',
      'corridor://rates/usd/kes',
      'corridor://catalogue',
    ]
    const {
      subscription,
      byCorridor,
      catalogue: own,
    } = subscribedTo(catalogue, [...addresses, 'corridor://rates/GBP/NGN'])
    expect(subscription.corridors).toEqual([
      { from: 'GBP', to: 'NGN' },
      { from: 'USD', to: 'KES' },
    ])
    expect(byCorridor).toEqual(
      new Map([
        ['USD/KES', addresses.slice(0, 2)],
        ['GBP/NGN', ['corridor://rates/GBP/NGN']],
      ]),
    )
    expect(own).toEqual(['corridor://catalogue'])
  })

  test('may be of the catalogue alone', () => {
    expect(subscribedTo(catalogue, ['corridor://catalogue']).subscription.corridors).toEqual([])
  })

  test('accepts fifty addresses of corridors, and no more', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        const code = [...'USD'].map((letter, at) => ((i >> at) % 2 ? letter : letter.toLowerCase()))
        const to = ['KES', 'NGN', 'UGX', 'XOF', 'ZAR', 'kes', 'ngn'][i >> 3]
        return `corridor://rates/${code.join('')}/${to}`
      })
    expect(new Set(many(51)).size).toBe(51)
    const named = (count: number) => [...subscribedTo(catalogue, many(count)).byCorridor.values()]
    expect(named(50).flat()).toHaveLength(50)
    expect(() => named(51)).toThrow('at most 50 corridors')
  })

  test.each([
    ['corridor://nothing', ProtocolError, 'corridor://rates/{from}/{to}'],
    [`corridor://${'x'.repeat(5000)}`, ProtocolError, 'there is no resource'],
    ['corridor://rates/USD/XXX', ServiceError, 'XXX'],
    ['corridor://rates/USD/usd', ServiceError, 'two different'],
  ])('refuses %p', (uri, kind, words) => {
    const asked = () => subscribedTo(catalogue, ['corridor://catalogue', uri])
    expect(asked).toThrow(kind)
    expect(asked).toThrow(words)
    try {
      asked()
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(400)
    }
  })
})
