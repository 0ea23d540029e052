import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { EventReader } from '../../support/event-reader.ts'
import { until } from '../../support/until.ts'
import { LiveServer } from '../live-server.ts'

let server: LiveServer
const ends: AbortController[] = []

beforeEach(() => {
  server = new LiveServer()
  server.world.quote({ providerId: 'retail-a', rate: 128, fee: 0, feeCurrency: 'USD' })
})
afterEach(async () => {
  for (const end of ends.splice(0)) end.abort()
  server.world.streams.open.stop()
  await server.stop()
})

const PATH = '/stream?corridors=USD/KES'

/** Requests a stream; the last one is closed with the test. */
async function ask(path: string, key?: string, init: RequestInit = {}): Promise<Response> {
  const end = new AbortController()
  ends.push(end)
  const headers = new Headers(init.headers)
  if (key !== undefined) headers.set('x-api-key', key)
  return fetch(`${server.origin}/api/v1${path}`, { ...init, headers, signal: end.signal })
}

async function stream(path: string, key?: string, init?: RequestInit): Promise<EventReader> {
  const response = await ask(path, key, init)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream',
  ])
  return new EventReader(response)
}

let position = 10

/** Commits a quote, as the log of changes reports it. */
async function commit(rate: number, providerId = 'retail-a'): Promise<void> {
  const { live, clock } = server.world
  const quote = { id: ++position, atMs: clock.now(), from: 'USD', to: 'KES', fee: 0 }
  const rest = {
    feeCurrency: 'USD',
    evidence: 'observed',
    offer: null,
    rateType: 'retail',
  } as const
  const quotes = [{ ...quote, ...rest, providerId, rate }]
  const days = { referencesAt: async () => [] }
  await live.apply({ position, kind: 'observations', atMs: clock.now(), quotes }, days)
}

const refusal = async (response: Response) => [response.status, (await response.json()).code]

const used = (id: string) =>
  server.world.meter.used(id, Math.floor(server.world.clock.now() / 86_400_000))

describe('GET /stream', () => {
  test('returns 200 with a hello at once, then each change as it is committed', async () => {
    const { key } = server.world.account('enterprise')
    const reader = await stream(PATH, key)
    const hello = await reader.event('hello')
    expect(hello.data).toMatchObject({ tier: 'realtime', corridors: ['USD/KES'], resumed: false })
    await commit(129)
    const quote = await reader.event('quote')
    expect(quote.data).toMatchObject({ corridor: 'USD/KES', rate: 129, data_freshness: 'realtime' })
    expect(quote.id).toMatch(/^\d+-0$/)
    expect((await reader.event('best')).data.best.rate).toBe(129)
  })

  test('tells proxies not to cache, change or buffer it', async () => {
    const { key } = server.world.account('pro')
    const { headers } = await ask(PATH, key, { headers: { 'accept-encoding': 'gzip, br' } })
    expect(headers.get('cache-control')).toBe('no-store, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
    expect(headers.get('x-data-freshness')).toBe('hourly')
    expect(headers.get('x-ratelimit-remaining')).toBe('249')
  })

  test('goes on after a Last-Event-ID, and costs a unit like the first stream', async () => {
    const { id, key } = server.world.account('enterprise')
    const first = await stream(PATH, key)
    await first.event('hello')
    await commit(129)
    await first.event('best')
    ends[0]!.abort()
    await commit(130)
    const second = await stream(PATH, key, { headers: { 'last-event-id': first.lastId! } })
    expect((await second.event('hello')).data.resumed).toBe(true)
    expect((await second.event('quote')).data.rate).toBe(130)
    expect(second.names.filter((name) => name === 'quote')).toHaveLength(1)
    expect(used(id)).toBe(2)
  })

  for (const id of ['7', 'x'.repeat(5000), '99999999999999999999-1', '-', '0-0'])
    test(`returns 200 with a reset for the Last-Event-ID ${id.slice(0, 30)}`, async () => {
      const reader = await stream(PATH, server.world.key(), { headers: { 'last-event-id': id } })
      const reset = await reader.event('reset')
      expect(reset.data.ask).toEqual(['/api/v1/rates?from=USD&to=KES'])
      await commit(131)
      expect((await reader.event('quote')).data.rate).toBe(131)
    })

  test('returns 200 for every corridor with an enterprise key, 403 with any other', async () => {
    const { id, key } = server.world.account('pro')
    expect(await refusal(await ask('/stream?corridors=*', key))).toEqual([403, 'enterprise_only'])
    expect(used(id)).toBe(0)
    const reader = await stream('/stream?corridors=*', server.world.key('enterprise'))
    expect((await reader.event('hello')).data.corridors).toEqual(['*'])
  })

  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => (i % 2 ? 'usd/kes' : 'GBP%2FKES')).join()
  const unsupported = Array.from(
    { length: 51 },
    (_, i) => `AA${String.fromCharCode(65 + (i % 26))}`,
  )
  for (const [query, status, code] of [
    ['', 400, 'missing_parameter'],
    ['?corridors=', 400, 'invalid_parameter'],
    ['?corridors=USDKES', 400, 'invalid_parameter'],
    ['?corridors=USD/KES,', 400, 'invalid_parameter'],
    ['?corridors=USD/KES,*', 400, 'invalid_parameter'],
    ['?corridors=USD/XXX', 400, 'unsupported_currency'],
    ['?corridors=USD/USD', 400, 'same_currency'],
    ['?corridors=USD/KES&period=1d', 400, 'invalid_parameter'],
    [
      `?corridors=${unsupported.map((one, i) => `USD/${one}${i > 25 ? 'X' : ''}`)}`,
      400,
      'invalid_parameter',
    ],
  ] as const)
    test(`returns ${status} ${code} for ${query.slice(0, 40) || 'no corridors'}, which costs nothing`, async () => {
      const { id, key } = server.world.account('pro')
      expect(await refusal(await ask(`/stream${query}`, key))).toEqual([status, code])
      expect(used(id)).toBe(0)
      expect(server.world.streams.slots.figures.open).toBe(0)
    })

  test('returns 200 for corridors named often, in any case, encoded or not, each counted once', async () => {
    const reader = await stream(`/stream?corridors=${many(80)}`, server.world.key())
    expect((await reader.event('hello')).data.corridors).toEqual(['GBP/KES', 'USD/KES'])
  })

  test('returns 401 without a key, and with a token for the tools', async () => {
    expect(await refusal(await ask(PATH))).toEqual([401, 'missing_key'])
    expect(await refusal(await ask(PATH, 'crt_x'))).toEqual([401, 'invalid_key'])
  })

  test('returns 405 for HEAD, with Allow: GET, since the response has no end', async () => {
    const head = await fetch(`${server.origin}/api/v1${PATH}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
  })

  test('returns 200 for a request with a body, which is ignored', async () => {
    const body = '{"corridors":["GBP/KES"]}'
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString()
    })
    socket.write(
      `GET /api/v1${PATH} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${server.world.key()}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until('the hello', async () => text.includes('event: hello'))
    expect(text).toContain('"corridors":["USD/KES"]')
    socket.destroy()
  })

  test('returns 429 for one stream more than the plan allows, with any key, until one is closed', async () => {
    const { id, key } = server.world.account('free')
    const other = server.world.addKey(id, 'other').key
    await stream(PATH, key)
    await stream(PATH, other)
    const refused = await ask(PATH, key)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams', limit: 2 })
    expect(used(id)).toBe(2)
    ends[0]!.abort()
    await until('the slot is free', async () => server.world.streams.slots.figures.open === 1)
    await stream(PATH, key)
  })

  test('returns 429 for all but two of 1,000 connections of one account at once', async () => {
    const { id, key } = server.world.account('free')
    const answers = await Promise.all(Array.from({ length: 1000 }, () => ask(PATH, key)))
    const statuses = Map.groupBy(answers, ({ status }) => status)
    expect([statuses.get(200)?.length, statuses.get(429)?.length]).toEqual([2, 998])
    expect(used(id)).toBe(2)
  }, 120_000)

  test('a slot is free again however the reader leaves', async () => {
    const { key } = server.world.account('free')
    for (let i = 0; i < 20; i++) {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(`GET /api/v1${PATH} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`)
      if (i % 2) await new Promise((resolve) => socket.once('data', resolve))
      else await new Promise((resolve) => socket.once('connect', resolve))
      socket.destroy()
      await until('the slot is free', async () => server.world.streams.slots.figures.open === 0)
    }
  })
})
