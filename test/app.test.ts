import { describe, expect, test } from 'bun:test'
import { API, ORIGIN, type Reply, replyOf, World } from './support/world.ts'

const SHOP = 'https://shop.example'
const HEADERS_TO_READ = [
  'content-digest',
  'content-disposition',
  'etag',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'signature',
  'signature-input',
  'www-authenticate',
  'x-as-of',
  'x-corridor-position',
  'x-data-freshness',
  'x-mid-fetched-at',
  'x-mid-rate',
  'x-mid-source',
  'x-note',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]

const allowedOrigin = ({ headers }: Reply) => headers.get('access-control-allow-origin')

const preflight = async (world: World, origin: string, url = `${API}/rates`): Promise<Reply> =>
  replyOf(
    await world.app.handle(
      new Request(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-api-key,idempotency-key',
        },
      }),
    ),
  )

describe('calls from a browser', () => {
  test('204 to a preflight from a listed origin, with what it may send', async () => {
    const world = new World({ corsOrigins: [SHOP, 'http://localhost:5173'] })
    for (const origin of [SHOP, 'http://localhost:5173']) {
      const reply = await preflight(world, origin)
      expect(reply.status).toBe(204)
      expect(reply.text).toBe('')
      expect(allowedOrigin(reply)).toBe(origin)
      const { headers } = reply
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST')
      const sendable = headers.get('access-control-allow-headers')?.split(', ').sort()
      expect(sendable).toEqual([
        ...['accept-signature', 'authorization', 'content-type', 'idempotency-key'],
        ...[
          'if-none-match',
          'last-event-id',
          'traceparent',
          'tracestate',
          'x-api-key',
          'x-request-id',
        ],
      ])
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('vary')).toBe('Origin')
    }
  })

  test.each([
    ...['https://evil.example', 'http://shop.example', 'https://shop.example:8443', 'null', ''],
    ...['https://shop.example.evil.example', 'https://a.shop.example', 'shop.example'],
    ...['HTTPS://SHOP.EXAMPLE', 'constructor', '__proto__', '*'],
  ])('200 and 204 name no allowed origin for %p, which is not listed', async (origin) => {
    const world = new World({ corsOrigins: [SHOP] })
    expect(allowedOrigin(await preflight(world, origin))).toBeNull()
    const reply = await world.get('/status', undefined, { headers: { origin } })
    expect([reply.status, allowedOrigin(reply)]).toEqual([200, null])
    expect(reply.headers.get('vary')).toBe('Origin')
  })

  test('200 varies by the origin as well as by anything else', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    const init = { headers: { origin: SHOP } }
    const reply = await world.get('/time-series?from=USD&to=KES', world.key(), init)
    expect([reply.status, allowedOrigin(reply)]).toEqual([200, SHOP])
    expect(reply.headers.get('vary')).toBe('Accept, Origin')
  })

  test('200, 400, 401, 404, 405 and 429 let a listed origin read status and headers', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    const key = world.key('free')
    const init = { headers: { origin: SHOP } }
    for (let i = 0; i < 49; i++) await world.get('/providers', key)
    const replies = [
      await world.get('/rates', key, init),
      await world.get('/providers', key, init),
      await world.get('/providers', key, init),
      await world.get('/providers', 'wrong', init),
      await world.get('/nope', key, init),
      await world.get('/rates', key, { ...init, method: 'DELETE' }),
      await world.post('[]', world.key('free', 'member'), { origin: SHOP }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 200, 429, 401, 404, 405, 403])
    for (const reply of replies) {
      expect([reply.status, allowedOrigin(reply)]).toEqual([reply.status, SHOP])
      const exposed = reply.headers.get('access-control-expose-headers')?.split(', ').sort()
      expect([reply.status, exposed]).toEqual([reply.status, HEADERS_TO_READ])
      expect(reply.headers.get('content-type')).toBe('application/json')
    }
    expect(replies[2]?.headers.get('x-ratelimit-remaining')).toBe('0')
  })

  test('200 and 204 allow any origin if all are allowed', async () => {
    const world = new World({ corsOrigins: ['*'] })
    expect(allowedOrigin(await preflight(world, 'https://any.example'))).toMatch(
      /^(\*|https:\/\/any\.example)$/,
    )
    const reply = await world.get('/status', undefined, { headers: { origin: SHOP } })
    expect(allowedOrigin(reply)).toMatch(/^(\*|https:\/\/shop\.example)$/)
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('no response varies by the origin if all are allowed', async () => {
    const world = new World({ corsOrigins: ['*'] })
    for (const headers of [{ origin: SHOP }, {}] as Record<string, string>[])
      for (const path of ['/status', '/time-series?from=USD&to=KES', '/nope']) {
        const reply = await world.get(path, world.key(), { headers })
        expect(allowedOrigin(reply)).toBe('*')
        expect(reply.headers.get('vary') ?? '').not.toMatch(/\*|origin/i)
      }
  })

  test('404 to a preflight for an unknown path, and 405 with Allow to OPTIONS that is not a preflight', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    expect((await preflight(world, SHOP, `${API}/nope`)).status).toBe(404)
    for (const headers of [{ origin: SHOP }, { 'access-control-request-method': 'GET' }, {}]) {
      const init = { method: 'OPTIONS', headers: headers as Record<string, string> }
      const reply = await replyOf(await world.app.handle(new Request(`${API}/status`, init)))
      expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  test('the response to a preflight names the methods of its path, and is valid for ten minutes', async () => {
    const { headers } = await preflight(new World({ corsOrigins: [SHOP] }), SHOP, `${API}/status`)
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(headers.get('access-control-max-age')).toBe('600')
  })

  test('responses vary by the origin, also for callers without a listed one', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    expect((await world.get('/status')).headers.get('vary')).toBe('Origin')
  })

  test('200 without any such header, and 405 to OPTIONS, if no origin is listed', async () => {
    const world = new World()
    const reply = await world.get('/status', undefined, { headers: { origin: SHOP } })
    expect(reply.status).toBe(200)
    const names = [...reply.headers.keys()].filter((name) => name.startsWith('access-control'))
    expect(names).toEqual([])
    expect((await preflight(world, SHOP)).status).toBe(405)
  })

  test('200 to a caller that is not a browser and sends no origin', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    const reply = await world.get('/status')
    expect([reply.status, allowedOrigin(reply)]).toEqual([200, null])
  })

  test('204 to a preflight spends nothing and needs no key', async () => {
    const world = new World({ corsOrigins: [SHOP] })
    const key = world.key('free')
    expect((await preflight(world, SHOP, `${API}/providers`)).status).toBe(204)
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })
})

describe('createApp', () => {
  test('200 for paths outside the API, and 404 for the same paths inside it', async () => {
    const world = new World()
    for (const path of ['/healthz', '/readyz', '/flags/ke.svg']) {
      const outside = await world.app.handle(new Request(`${ORIGIN}${path}`))
      const inside = await world.app.handle(new Request(`${API}${path}`))
      expect([path, outside.status, inside.status]).toEqual([path, 200, 404])
    }
  })
})
