import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FeedError } from '~/domain/feed/feed.ts'
import { type Adapter, endpointUrl } from '~/feed/adapter.ts'
import { ADAPTERS, createFeeds, type FeedName } from '~/feed/feeds.ts'
import { fixture, Pace, PUBLIC_ADDRESS, startUpstream } from './upstream.ts'

const upstream = startUpstream(() => new Response(null, { status: 500 }))
afterAll(() => upstream.stop())
beforeEach(() => void upstream.asked.splice(0))

const KEY = 'k3y-of-the-test'

const failure = (asked: Promise<unknown>): Promise<FeedError> =>
  asked.then(
    () => Promise.reject(new Error('it answered')),
    (error) => error as FeedError,
  )

describe('keys', () => {
  const secret = (name: FeedName, key: string | null, url = upstream.origin, pace = new Pace()) =>
    createFeeds([{ name, url, key }], pace)[0]!.ask()

  const answered = async (name: FeedName) => {
    const body = await fixture(`${name}.json`)
    upstream.answer = () => new Response(body)
    return secret(name, KEY)
  }

  test('are sent in the documented header and never in the address', async () => {
    await answered('openexchangerates')
    await answered('fastforex')
    const [oxr, fast] = upstream.asked
    expect(oxr!.headers.get('authorization')).toBe(`Token ${KEY}`)
    expect(fast!.headers.get('x-api-key')).toBe(KEY)
    expect(upstream.asked.filter(({ path }) => path.includes(KEY))).toEqual([])
  })

  test('a feed that needs no key is fetched without one', async () => {
    await answered('open-er-api')
    expect(JSON.stringify([...upstream.asked[0]!.headers])).not.toContain(KEY)
  })

  test('a missing or impossible key is a misconfiguration, and nothing is fetched', async () => {
    for (const key of [null, 'two words', 'line\nbreak', ''])
      expect((await failure(secret('fastforex', key))).fault).toBe('misconfigured')
    expect(upstream.asked).toEqual([])
  })

  test('do not follow a redirect to another host', async () => {
    const body = await fixture('fastforex.json')
    const other = startUpstream(() => new Response(body))
    const { port } = new URL(other.origin)
    upstream.answer = () => Response.redirect(`http://other.example:${port}/elsewhere`)
    const pace = new Pace()
    pace.names.set('other.example', [PUBLIC_ADDRESS])
    await secret('fastforex', KEY, upstream.origin, pace)
    other.stop()
    expect(upstream.asked[0]!.headers.get('x-api-key')).toBe(KEY)
    expect(other.asked[0]!.headers.get('x-api-key')).toBeNull()
  })

  test('no failure shows the key or the address', async () => {
    const addresses = ['http://127.0.0.1:1/tok3n', `https://${upstream.origin.slice(7)}/tok3n`]
    for (const address of addresses) {
      const error = await failure(secret('fastforex', KEY, address))
      expect(JSON.stringify({ ...error, message: error.message, stack: '' })).not.toMatch(
        /tok3n|k3y|127/,
      )
      expect(error.cause).toBeUndefined()
    }
  })
})

describe('createFeeds', () => {
  test('a feed configured twice is two feeds of one source', () => {
    const settings = (name: FeedName) => ({ name, url: null, key: null })
    const feeds = createFeeds(
      ['ecb', 'currency-api', 'currency-api'].map((n) => settings(n as FeedName)),
      new Pace(),
    )
    expect(feeds.map(({ id }) => id)).toEqual(['ecb', 'currency-api', 'currency-api-2'])
    expect(feeds[2]!.source).toBe('currency-api')
  })

  test('frankfurter v1 and the ECB count as one source, and v2 as another', () => {
    const at = (url: string | null) => ({ name: 'frankfurter', url, key: null }) as const
    const settings = [
      { name: 'ecb', url: null, key: null } as const,
      ...[null, 'https://h/', 'https://h/v1', 'https://h/proxy/v1/latest'].map(at),
    ]
    const origins = createFeeds(settings, new Pace()).map(({ origin }) => origin)
    expect(origins).toEqual(['ecb', 'frankfurter', 'frankfurter', 'ecb', 'ecb'])
  })
})

describe('endpointUrl', () => {
  test.each([
    ['https://h', 'https://h/v6/latest/USD'],
    ['https://h/', 'https://h/v6/latest/USD'],
    ['https://h/v6', 'https://h/v6/latest/USD'],
    ['https://h/v6/latest/USD', 'https://h/v6/latest/USD'],
    ['https://h/proxy', 'https://h/proxy/v6/latest/USD'],
    ['https://h/proxy/v6/latest', 'https://h/proxy/v6/latest/USD'],
    ['https://h/?a=1', 'https://h/v6/latest/USD?a=1'],
  ])('%s becomes %s', (base, full) => {
    expect(endpointUrl(base, { path: 'v6/latest/USD' }).href).toBe(full)
  })

  test('every feed has its published address', () => {
    const addresses = Object.values<Adapter>(ADAPTERS).map((one) => endpointUrl(one.home, one).href)
    expect(addresses).toEqual([
      'https://open.er-api.com/v6/latest/USD',
      'https://openexchangerates.org/api/latest.json',
      'https://api.fastforex.io/fetch-all?from=USD',
      'https://api.frankfurter.dev/v2/rates?base=USD',
      'https://cdn.jsdelivr.net/npm/@fawazahmed0/currency-api@latest/v1/currencies/usd.min.json',
      'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
    ])
  })
})
