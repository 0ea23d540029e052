import { describe, expect, test } from 'bun:test'
import { API, ORIGIN, type Reply, replyOf, World } from '../support/world.ts'
import { answerable, METERED } from './questions.ts'

const READS = [...METERED.map(({ path }) => path), '/admin/usage', '/status']
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY']

async function send(world: World, url: string, init: RequestInit): Promise<Reply> {
  return replyOf(await world.app.handle(new Request(url, init)))
}

describe('a method', () => {
  for (const path of READS) {
    const [bare = ''] = path.split('?')
    const allowed = bare === '/rates' ? 'GET, HEAD, POST' : 'GET, HEAD'
    const wrong = METHODS.filter((method) => !allowed.includes(method))

    test(`returns 405 for ${wrong} on ${bare}, with Allow: ${allowed}, before the key`, async () => {
      for (const method of wrong) {
        const { status, headers, body } = await send(answerable(), `${API}${path}`, { method })
        expect([method, status]).toEqual([method, 405])
        expect(headers.get('allow')).toBe(allowed)
        expect(body).toMatchObject({ code: 'method_not_allowed', error: expect.any(String) })
        expect(headers.get('x-ratelimit-limit')).toBeNull()
      }
    })
  }

  test('returns 405 on the paths of the operator too', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers } = await send(new World(), `${ORIGIN}${path}`, { method: 'DELETE' })
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  test('returns the length of the missing body to HEAD of every read', async () => {
    for (const path of READS) {
      const world = answerable()
      const key = world.key()
      const got = await world.get(path, key)
      const { status, headers, text } = await world.get(path, key, { method: 'HEAD' })
      expect([path, status, text]).toEqual([path, 200, ''])
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)))
    }
  })

  test('returns 401 to HEAD without a body', async () => {
    const { status, text } = await new World().get('/rates', undefined, { method: 'HEAD' })
    expect([status, text]).toEqual([401, ''])
  })
})

describe('a path', () => {
  test.each([
    ...['/api', '/api/v1', '/api/v2/rates', '/rates', '/api/v1/nope', '/API/V1/rates'],
    ...['/api/v1/rates/x', '/api/v1//rates', '//api/v1/rates', '/api/v1/rates%00', '/%00'],
    ...['/api/v1/rates%', '/api/v1/%ff', '/api/v1/ra%74es', '/api/v1/Rates', '/api/v1/rates;x=1'],
    ...['/.env', '/api/v1/constructor', '/__proto__', `/${'x'.repeat(8000)}`, '/api/v1/rates.json'],
  ])('returns 404 for %s, in JSON, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const { status, headers, body } = await send(new World(), `${ORIGIN}${path}`, { method })
      expect([method, status]).toEqual([method, 404])
      expect(headers.get('content-type')).toBe('application/json')
      expect(body).toEqual({ error: expect.stringContaining('/api/v1'), code: 'unknown_path' })
    }
  })

  test('returns 404 without spending a unit, although the key is valid', async () => {
    const world = new World()
    const key = world.key('free')
    const { status, headers } = await world.get('/nope', key)
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([404, null])
    expect((await world.get('/admin/usage', key)).body.used).toBe(0)
  })

  test('is found after a host name of any length', async () => {
    for (const host of ['a', 'db', 'api', 'corridor', '[::1]:3000', '127.0.0.1:3000']) {
      const world = answerable()
      const init = { headers: { 'x-api-key': world.key() } }
      for (const path of READS)
        expect([host, (await send(world, `http://${host}/api/v1${path}`, init)).status]).toEqual([
          host,
          200,
        ])
      expect((await send(world, `http://${host}/x/healthz`, {})).status).toBe(404)
    }
  })
})

describe('the order of checks', () => {
  /** A body that counts its reads. */
  function watchedBody() {
    const seen = { reads: 0 }
    const body = new ReadableStream(
      {
        pull(controller) {
          seen.reads++
          controller.enqueue(new TextEncoder().encode('[]'))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return { seen, body }
  }

  async function posted(world: World, key: string | null, path = '/rates') {
    const { seen, body } = watchedBody()
    const headers = new Headers({ 'content-type': 'application/json' })
    if (key !== null) headers.set('x-api-key', key)
    const reply = await send(world, `${API}${path}`, { method: 'POST', headers, body })
    return { ...reply, reads: seen.reads }
  }

  test('400 shows that the body of a caller who may ingest is read', async () => {
    const world = new World()
    const { status, reads } = await posted(world, world.key('free', 'treasury'))
    expect([status, reads]).toEqual([400, 1])
  })

  test('403 comes before the body is read', async () => {
    const world = new World()
    const { status, body, reads } = await posted(world, world.key('enterprise', 'member'))
    expect([status, body.code, reads]).toEqual([403, 'forbidden', 0])
  })

  test('403 comes before the headers of the body are looked at', async () => {
    const world = new World()
    const headers = { 'content-type': 'text/plain', 'idempotency-key': 'x'.repeat(300) }
    expect((await world.post('[]', world.key(), headers)).status).toBe(403)
  })

  test('401, 404 and 405 come before the body is read', async () => {
    const world = new World()
    expect(await posted(world, null)).toMatchObject({ status: 401, reads: 0 })
    expect(await posted(world, 'wrong')).toMatchObject({ status: 401, reads: 0 })
    const key = world.key('free', 'admin')
    expect(await posted(world, key, '/nope')).toMatchObject({ status: 404, reads: 0 })
    expect(await posted(world, key, '/convert')).toMatchObject({ status: 405, reads: 0 })
  })

  test('404 comes before 405 and 401, and 405 before 401', async () => {
    const world = new World()
    expect((await world.get('/nope', undefined, { method: 'DELETE' })).status).toBe(404)
    expect((await world.get('/rates', undefined, { method: 'DELETE' })).status).toBe(405)
  })

  test('429 does not affect POST /rates, which costs no unit', async () => {
    const world = answerable()
    const key = world.key('free', 'treasury')
    for (let i = 0; i < 51; i++) await world.get('/providers', key)
    expect((await world.get('/providers', key)).status).toBe(429)
    const { status, headers } = await world.post('[]', key)
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([400, null])
  })
})
