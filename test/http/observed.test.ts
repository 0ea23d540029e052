import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ServiceError } from '~/domain/errors.ts'
import { dayOf } from '~/domain/quota.ts'
import { observedHandler } from '~/http/observed.ts'
import { errorReply } from '~/http/reply.ts'
import { listen } from '~/runtime/listener.ts'
import { RequestFigures } from '~/telemetry/request-figures.ts'
import { KeptLog } from '../support/log.ts'
import { ORIGIN, World } from '../support/world.ts'
import { answerable, METERED } from './questions.ts'

const label = { method: 'GET', route: '/things' } as const
const ID = 'x-request-id'

const figuresOf = (requests: RequestFigures) => ({
  statuses: () => [...requests.of(label).statuses()],
  failures: () => [...requests.of(label).failures],
})

/** A handler under observation, its metrics and its log. */
function watched(handle: (request: Request) => Response | Promise<Response>, log = new KeptLog()) {
  const requests = new RequestFigures()
  const observe = observedHandler(handle, label, { requests, tracing: null, log, guards: {} })
  const ask = async (headers: Record<string, string> = {}, query = '') =>
    observe(new Request(`${ORIGIN}/things${query}`, { headers }))
  return { ask, log, ...figuresOf(requests) }
}

describe('X-Request-Id', () => {
  const ask = async (world: World, id?: string): Promise<string | null> => {
    const headers = new Headers(id === undefined ? {} : { [ID]: id })
    return (await world.app.handle(new Request(`${ORIGIN}/healthz`, { headers }))).headers.get(ID)
  }

  test('is the caller’s if it has 1 to 128 letters, digits, dots, dashes, underscores', async () => {
    const world = new World()
    const given = fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/)
    await fc.assert(fc.asyncProperty(given, async (id) => (await ask(world, id)) === id))
    expect(await ask(world, 'a'.repeat(128))).toBe('a'.repeat(128))
  })

  test('is a new one instead of any other', async () => {
    const world = new World()
    const odd = ['', 'a'.repeat(129), 'two words', 'a,b', 'a;b', '<script>', 'ä', '"', '{}', 'a/b']
    const ids = await Promise.all(odd.map((id) => ask(world, id)))
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]+-[a-z0-9]+$/)
    expect(new Set(ids).size).toBe(odd.length)
  })

  test('is never used twice', async () => {
    const world = new World()
    const ids = await Promise.all(Array.from({ length: 5000 }, () => ask(world)))
    expect(new Set(ids).size).toBe(5000)
  })

  test('is on every response: 2xx, 3xx, 4xx, of every kind of route', async () => {
    const world = answerable({ corsOrigins: ['https://shop.example'] })
    const key = world.key()
    const origin = { origin: 'https://shop.example' }
    const preflight = { ...origin, 'access-control-request-method': 'GET' }
    const etag = (await world.get('/change?from=USD&to=KES', key)).headers.get('etag')!
    const asked: [status: number, url: string, init?: RequestInit][] = [
      ...METERED.map(({ path }): [number, string] => [200, `/api/v1${path}`]),
      [200, '/api/v1/status'],
      [200, '/api/v1/rates?from=USD&to=KES', { method: 'HEAD' }],
      [200, '/api/v1/rates?from=USD&to=KES', { headers: origin }],
      [204, '/api/v1/rates', { method: 'OPTIONS', headers: preflight }],
      [304, '/api/v1/change?from=USD&to=KES', { headers: { 'if-none-match': etag } }],
      [400, '/api/v1/rates'],
      [401, '/api/v1/rates', { headers: { 'x-api-key': 'nobody' } }],
      [403, '/api/v1/rates', { method: 'POST' }],
      [404, '/api/v1/nowhere'],
      [404, '/nowhere'],
      [405, '/api/v1/rates', { method: 'DELETE' }],
      [405, '/healthz', { method: 'POST' }],
      [200, '/docs'],
      [200, '/openapi.json'],
      [200, '/flags/ke.svg'],
      [200, '/metrics'],
      [400, '/mcp', { method: 'POST', headers: { 'content-type': 'application/json' } }],
    ]
    for (const [status, url, init] of asked) {
      const headers = new Headers({ 'x-api-key': key, [ID]: 'ours', accept: '*/*' })
      for (const [name, value] of new Headers(init?.headers)) headers.set(name, value)
      const reply = await world.app.handle(new Request(`${ORIGIN}${url}`, { ...init, headers }))
      expect([url, reply.status, reply.headers.get(ID)]).toEqual([url, status, 'ours'])
    }
  })
})

describe('a key that requests missing mids a thousand times', () => {
  test('causes no log line, and is counted', async () => {
    const world = new World()
    const key = world.key()
    for (let i = 0; i < 1000; i++)
      expect((await world.get('/fetch-one?from=USD&to=KES', key)).status).toBe(503)
    expect(world.logged).toEqual([])
    const metrics = await (await world.app.handle(new Request(`${ORIGIN}/metrics`))).text()
    const labels = 'method="GET",route="/api/v1/fetch-one",code="mid_unavailable"'
    expect(metrics).toContain(`corridor_http_failures_total{${labels}} 1000`)
  })
})

describe('the listener', () => {
  test('puts its id on a failure that escapes even the app, in the response and in the log', async () => {
    const log = new KeptLog()
    const handle = (): Response => {
      throw new Error('escaped')
    }
    const listener = listen({ host: '127.0.0.1', port: 0 }, { handle, log })
    const reply = await fetch(listener.origin)
    const id = reply.headers.get(ID)
    expect([reply.status, id]).toEqual([500, expect.stringMatching(/^[a-z0-9]+-[a-z0-9]+$/)])
    expect(log.lines[0]!.context).toMatchObject({ request_id: id })
    await listener.stop()
  })
})

describe('an observed handler', () => {
  test('returns 500, and counts it, if it throws at once or later', async () => {
    for (const handle of [
      () => {
        throw new Error('at once')
      },
      () => Promise.reject(new Error('later')),
    ]) {
      const { ask, log, statuses } = watched(handle)
      const reply = await ask({ [ID]: 'seven' })
      expect([reply.status, reply.headers.get(ID)]).toEqual([500, 'seven'])
      expect(await reply.json()).toMatchObject({ code: 'internal_error' })
      expect(statuses()).toEqual([[500, 1]])
      expect(log.said).toEqual(['error: request failed'])
      expect(log.lines[0]!.context).toMatchObject({ request_id: 'seven', ...label, status: 500 })
    }
  })

  test('counts a response when its promise settles', async () => {
    const { promise, resolve } = Promise.withResolvers<Response>()
    const { ask, statuses } = watched(() => promise)
    const reply = ask()
    await Promise.resolve()
    expect(statuses()).toEqual([])
    resolve(new Response('late', { status: 202 }))
    await reply
    expect(statuses()).toEqual([[202, 1]])
  })

  test('logs a failure of the service in one line with its cause, however deep that is', async () => {
    const log = new KeptLog()
    const away = new ServiceError('database_unavailable', 'the database is away')
    away.cause = new Error('ECONNREFUSED')
    const { ask } = watched(async () => {
      await Bun.sleep(1)
      return errorReply(away, log)
    }, log)
    await Promise.all([ask({ [ID]: 'one' }), ask({ [ID]: 'two' })])
    expect(log.said).toEqual(['warn: the database is away', 'warn: the database is away'])
    expect(log.lines.map(({ context }) => context)).toEqual(
      ['one', 'two'].map((id) =>
        expect.objectContaining({ request_id: id, status: 503, err: away.cause }),
      ),
    )
  })

  test('logs a 500 without a cause, and no other response without one', async () => {
    const { ask, log } = watched(() => new Response(null, { status: 500 }))
    await ask({}, '?from=USD&to=KES&token=abc')
    expect(log.said).toEqual(['warn: request not served'])
    expect(log.lines[0]!.context).toMatchObject({ query: { from: 'USD', to: 'KES' } })
    for (const status of [200, 304, 400, 404, 429, 503]) {
      const fine = watched(() => new Response(null, { status }))
      await fine.ask()
      expect(fine.log.said).toEqual([])
    }
  })

  test('counts the reasons why requests were not served', async () => {
    const codes = ['mid_unavailable', 'overloaded', 'overloaded', 'internal_error'] as const
    const replies = [
      ...codes.map((code) => () => errorReply(new ServiceError(code, 'not now'), log)),
      () => new Response(null, { status: 503 }),
      () => new Response(null, { status: 404 }),
    ]
    const { ask, log, failures } = watched(() => replies.pop()!())
    while (replies.length > 0) await ask()
    expect(failures()).toEqual([
      ['none', 1],
      ['internal_error', 1],
      ['overloaded', 2],
      ['mid_unavailable', 1],
    ])
  })

  test('logs every response at debug', async () => {
    const log = Object.assign(new KeptLog(), {
      isLevelEnabled: (level: string) => level !== 'trace',
    })
    const { ask } = watched(() => new Response('fine'), log)
    await ask({ [ID]: 'one' }, '?from=usd,gbp&amount=12.5&secret=1')
    expect(log.lines).toEqual([
      {
        level: 'debug',
        message: 'request',
        context: {
          request_id: 'one',
          ...label,
          status: 200,
          ms: expect.any(Number),
          query: { from: 'usd,gbp', amount: '12.5' },
        },
      },
    ])
  })

  test('names account and key of a 429 at debug, and of no other response', async () => {
    const log = Object.assign(new KeptLog(), { isLevelEnabled: () => true })
    const world = new World({ log })
    const { id, keyId, key } = world.account('free')
    for (let i = 0; i < 50; i++) await world.get('/rates?from=USD&to=KES', key)
    log.lines.length = 0
    world.meter.giveBack({ accountId: id, keyId, day: dayOf(world.clock.now()) })
    for (const path of ['/rates', '/rates', '/change'])
      await world.get(`${path}?from=USD&to=KES`, key)
    const lines = log.lines.map(({ context }) => context as Record<string, unknown>)
    expect(lines.map(({ status, account_id }) => [status, account_id])).toEqual([
      [200, undefined],
      [429, id],
      [429, id],
    ])
    expect(lines.map(({ key_id }) => key_id)).toEqual([undefined, keyId, keyId])
  })
})
