import { describe, expect, test } from 'bun:test'
import { API, ORIGIN, replyOf, type World } from '../support/world.ts'
import { answerable, METERED } from './questions.ts'

const ask = async (world: World, path: string, headers: Record<string, string>) =>
  replyOf(await world.app.handle(new Request(`${API}${path}`, { headers })))

const PATHS = [...METERED.map(({ path }) => path), '/change?from=USD&to=KES', '/admin/usage']

describe('Authorization: Bearer', () => {
  test.each(PATHS)('is accepted like X-API-Key by %s', async (path) => {
    const world = answerable()
    const key = world.key()
    const [shown, other] = [
      await ask(world, path, { authorization: `Bearer ${key}` }),
      await ask(world, path, { 'x-api-key': key }),
    ]
    expect(shown.status).toBe(other.status)
    expect(shown.status).toBeLessThan(300)
    const { timestamp, today, ...body } = shown.body
    const { timestamp: _, today: __, ...same } = other.body
    expect(body.error).toBeUndefined()
    if (path !== '/admin/usage') expect(body).toEqual(same)
  })

  test('counts on the same budget', async () => {
    const world = answerable()
    const key = world.key('free')
    await ask(world, '/providers', { 'x-api-key': key })
    const { headers } = await ask(world, '/providers', { authorization: `bearer ${key}` })
    expect(headers.get('x-ratelimit-remaining')).toBe('48')
  })

  test('is accepted for recording', async () => {
    const world = answerable()
    const body = JSON.stringify({})
    const asked = (headers: Record<string, string>) =>
      world.app.handle(new Request(`${API}/rates`, { method: 'POST', body, headers }))
    const member = { authorization: `Bearer ${world.key('free')}` }
    const treasury = { authorization: `Bearer ${world.key('free', 'treasury')}` }
    expect((await asked(member)).status).toBe(403)
    expect((await asked(treasury)).status).toBe(400)
  })

  test('returns 401 when it differs from X-API-Key, and neither is used', async () => {
    const world = answerable()
    const [one, other] = [world.key('free'), world.key('free')]
    const both = { 'x-api-key': one, authorization: `Bearer ${other}` }
    for (const path of PATHS) {
      const { status, body, headers } = await ask(world, path, both)
      expect([status, body.code]).toEqual([401, 'invalid_key'])
      expect(body.error).toContain('two different keys')
      expect(headers.has('x-ratelimit-limit')).toBe(false)
    }
    const tools = { method: 'POST', body: '{}', headers: both }
    const refused = await world.app.handle(new Request(`${ORIGIN}/mcp`, tools))
    expect(refused.status).toBe(401)
    for (const key of [one, other])
      expect((await ask(world, '/admin/usage', { 'x-api-key': key })).body.used).toBe(0)
  })

  test('returns 200 when it is the key in X-API-Key', async () => {
    const world = answerable()
    const key = world.key()
    const both = { 'x-api-key': key, authorization: `Bearer ${key}` }
    expect((await ask(world, '/providers', both)).status).toBe(200)
  })

  test.each([
    ['Basic dXNlcjpwYXNz', 'missing_key'],
    ['Bearer', 'missing_key'],
    ['Bearer  ', 'missing_key'],
    ['Bearer a b', 'invalid_key'],
    ['Bearer a, Bearer a', 'invalid_key'],
    ['Bearer wrong', 'invalid_key'],
    [`Bearer ${'x'.repeat(8000)}`, 'invalid_key'],
  ])('returns 401 for %p alone', async (authorization, code) => {
    const { status, body } = await ask(answerable(), '/providers', { authorization })
    expect([status, body.code]).toEqual([401, code])
  })

  test('is ignored next to X-API-Key in another scheme, as for a proxy', async () => {
    const world = answerable()
    const headers = { 'x-api-key': world.key(), authorization: 'Basic dXNlcjpwYXNz' }
    expect((await ask(world, '/providers', headers)).status).toBe(200)
  })
})
