import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Said } from '../support/exposition.ts'
import { API, ORIGIN, replyOf, type World } from '../support/world.ts'
import { LiveServer } from './live-server.ts'
import { answerable } from './questions.ts'

const REQUESTS = 'corridor_http_requests_total'
const DURATION = 'corridor_http_request_duration_seconds'

async function scrape(world: World, authorization?: string) {
  const headers = new Headers(authorization === undefined ? {} : { authorization })
  return replyOf(await world.app.handle(new Request(`${ORIGIN}/metrics`, { headers })))
}

const said = async (world: World) => new Said((await scrape(world)).text)

const counted = (metrics: Said, route: string) =>
  metrics.all(REQUESTS, { route }).map(({ labels, value }) => [labels.method, labels.status, value])

describe('GET /metrics', () => {
  test('returns 200 in the text format of Prometheus, never stored and costing nothing', async () => {
    const world = answerable()
    const key = world.key('free')
    const { status, headers, text } = await scrape(world)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(new Said(text).types.get(REQUESTS)).toBe('counter')
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })

  test('returns 200 with exact counts by method, route and status', async () => {
    const world = answerable()
    const key = world.key()
    for (let i = 0; i < 7; i++) await world.get('/rates?from=USD&to=KES', key)
    for (let i = 0; i < 3; i++) await world.get('/rates?from=USD', key)
    await world.get('/rates?from=USD&to=KES')
    await world.get('/rates?from=USD&to=KES', key, { method: 'HEAD' })
    await world.post([], world.key('pro', 'member'))
    await world.get('/change?from=USD&to=KES', key)
    const metrics = await said(world)
    expect(counted(metrics, '/api/v1/rates')).toEqual([
      ['GET', '200', 8],
      ['GET', '400', 3],
      ['GET', '401', 1],
      ['POST', '403', 1],
    ])
    expect(counted(metrics, '/api/v1/change')).toEqual([['GET', '200', 1]])
    expect(metrics.value('corridor_unauthorized_total')).toBe(1)
    expect(counted(await said(world), '/metrics')).toEqual([['GET', '200', 1]])
  })

  test('counts unknown paths, methods and preflights as other', async () => {
    const world = answerable({ corsOrigins: ['https://shop.example'] })
    const origin = 'https://shop.example'
    await world.get('/nowhere')
    await world.get('/rates', undefined, { method: 'DELETE' })
    await world.get('/rates', undefined, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    expect(counted(await said(world), 'other')).toEqual([
      ['*', '204', 1],
      ['*', '404', 1],
      ['*', '405', 1],
    ])
  })

  test('counts calls from other origins under their route, and the tool server', async () => {
    const world = answerable({ corsOrigins: ['https://shop.example'] })
    const headers = { origin: 'https://shop.example' }
    await world.get('/rates?from=USD&to=KES', world.key(), { headers })
    for (const method of ['POST', 'GET', 'PUT'])
      await world.app.handle(new Request(`${ORIGIN}/mcp`, { method, headers }))
    const metrics = await said(world)
    expect(counted(metrics, '/api/v1/rates')).toEqual([['GET', '200', 1]])
    expect(counted(metrics, '/mcp')).toEqual([
      ['*', '401', 1],
      ['*', '405', 2],
    ])
    expect(metrics.all(REQUESTS, { route: 'other' })).toEqual([])
  })

  test('returns 200 with histograms that are consistent and agree with the counts', async () => {
    const world = answerable()
    const key = world.key()
    for (let i = 0; i < 20; i++) await world.get('/convert?from=USD&to=KES&amount=200', key)
    await world.get('/convert?from=USD', key)
    const metrics = await said(world)
    const route = '/api/v1/convert'
    const buckets = metrics.all(`${DURATION}_bucket`, { route })
    const counts = buckets.map(({ value }) => value)
    expect(buckets.at(-1)?.labels.le).toBe('+Inf')
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(counts.at(-1)).toBe(21)
    expect(metrics.value(`${DURATION}_count`, { route })).toBe(21)
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('+Inf', 'Infinity')))
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
    const sum = metrics.value(`${DURATION}_sum`, { route })!
    const atLeast = counts.reduce(
      (s, n, i) => s + (n - (counts[i - 1] ?? 0)) * (bounds[i - 1] ?? 0),
      0,
    )
    expect(sum).toBeGreaterThan(atLeast)
    expect(sum).toBeLessThan(60)
  })

  test('has no more labels than routes, whatever anonymous callers request', async () => {
    const world = answerable()
    const key = world.key()
    const marks = ['crd_stranger', 'stranger"}', 'str\nanger', 'странгер', 'a'.repeat(3000)]
    for (let i = 0; i < 200; i++) {
      const mark = encodeURIComponent(`${marks[i % marks.length]}${i}`)
      for (const path of [`/${mark}`, `/api/v1/${mark}`, `/api/v1/rates/${mark}`, `/flags/${mark}`])
        await world.app.handle(new Request(`${ORIGIN}${path}`))
      await world.get(`/rates?from=${mark}&to=KES&${mark}=1`, key, { headers: { 'x-mark': mark } })
    }
    const { text } = await scrape(world)
    expect(text).not.toMatch(/stranger|anger|%D1|aaaa/)
    const routes = new Set(new Said(text).all(REQUESTS).map(({ labels }) => labels.route))
    const known = new Set(world.app.allRoutes().map(({ path }) => path))
    expect([...routes].filter((route) => route !== 'other' && !known.has(route!))).toEqual([])
    const statuses = new Said(text).all(REQUESTS).map(({ labels }) => labels.status)
    expect(statuses.filter((status) => !/^[2-5]\d\d$/.test(status!))).toEqual([])
    expect(new Said(text).value(REQUESTS, { route: 'other', status: '404' })).toBe(600)
  })
})

describe('GET /metrics under another path', () => {
  let server: LiveServer
  beforeAll(() => {
    server = new LiveServer()
  })
  afterAll(() => server.stop())

  const asked = async (target: string, method = 'GET', host = 'Host: localhost\r\n') => {
    const [reply] = await server.say(`${method} ${target} HTTP/1.1\r\n${host}\r\n`)
    return reply!
  }

  test.each([
    ...['/metrics/', '/a/%2e%2e/metrics', '/a/../metrics', '/./metrics', '/%2e/metrics'],
    ...['/metrics/.', '/metrics/%2e', '/x/%2E%2E/metrics?a=b', '/metrics/?a', '//metrics'],
    ...['/%6detrics', '/METRICS', '/metrics;x', '/metrics%2f', '/api/v1/../../metrics'],
  ])("returns 404 to %s, which a proxy's rule for /metrics may miss", async (target) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const { status, text } = await asked(target, method)
      expect([method, status]).toEqual([method, 404])
      expect(text).not.toContain('corridor_')
    }
  })

  test('returns 200 to the path itself, with any query and any host', async () => {
    for (const target of [
      '/metrics',
      '/metrics?',
      '/metrics?x=/a/../b',
      'http://localhost/metrics',
    ])
      expect((await asked(target)).status).toBe(200)
    for (const host of ['Host: a b\r\n', 'Host: \r\n'])
      expect((await asked('/metrics', 'GET', host)).text).toContain('corridor_')
  })

  test('returns 404 to a detour with a Host that cannot be part of a URL', async () => {
    for (const host of ['', 'Host: \r\n', 'Host: a b\r\n', 'Host: x:99999\r\n'])
      for (const target of ['/a/../metrics', '/a/%2e%2e/metrics', '/metrics/'])
        expect((await asked(target, 'GET', host)).text).not.toContain('corridor_')
  })

  test('returns 405 to another method, and serves HEAD like GET', async () => {
    expect(await asked('/metrics', 'POST')).toMatchObject({ status: 405 })
    const url = `http://localhost:${server.port}/metrics`
    const { status, headers } = await fetch(url, { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('0.0.4')])
  })
})

describe('GET /metrics behind a token', () => {
  const TOKEN = 'a-token-of-the-operator'

  test('returns 200 to a caller with the token', async () => {
    const world = answerable({ metricsToken: TOKEN })
    for (const authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`])
      expect((await scrape(world, authorization)).status).toBe(200)
  })

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer x ${TOKEN}`,
    'Bearer undefined',
  ])('returns 401 to a caller with %p, which says what to do', async (authorization) => {
    const { status, headers, body } = await scrape(
      answerable({ metricsToken: TOKEN }),
      authorization,
    )
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
    expect(body).toEqual({ error: expect.stringContaining('METRICS_TOKEN'), code: 'invalid_key' })
  })

  test('returns 401 to an API key, which is for the API only', async () => {
    const world = answerable({ metricsToken: TOKEN })
    expect((await scrape(world, `Bearer ${world.key('enterprise', 'admin')}`)).status).toBe(401)
  })

  test('returns 200 to anyone if there is no token, and 404 inside the API', async () => {
    const world = answerable()
    expect((await scrape(world)).status).toBe(200)
    expect((await world.app.handle(new Request(`${API}/metrics`))).status).toBe(404)
  })
})
