import { describe, expect, test } from 'bun:test'
import { limitingFailures } from '~/http/edge/auth-failures.ts'
import { API, replyOf, World } from '../../support/world.ts'

const PER_MINUTE = 3

function scene() {
  const world = new World()
  let address = '192.0.2.1'
  let asked = 0
  const handle = limitingFailures((request) => world.app.fetch(request), {
    perMinute: PER_MINUTE,
    addressOf: () => {
      asked += 1
      return address
    },
    clock: world.clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  return {
    world,
    asked: () => asked,
    from(other: string) {
      address = other
    },
    async get(key: string | null, path = '/providers') {
      const headers = key === null ? {} : { 'x-api-key': key }
      return replyOf(await handle(new Request(`${API}${path}`, { headers })))
    },
  }
}

describe('limitingFailures', () => {
  test('returns 429 with the time to wait after too many 401 in a minute, and 401 again after that time', async () => {
    const { world, get } = scene()
    for (let i = 0; i < 2 * PER_MINUTE; i++) expect((await get('wrong')).status).toBe(401)
    const { status, body, headers } = await get(null)
    expect([status, body.code]).toEqual([429, 'too_many_failures'])
    expect(headers.get('x-request-id')).toMatch(/^[a-z0-9]+-[a-z0-9]+$/)
    const waitSeconds = Number(headers.get('retry-after'))
    expect(waitSeconds).toBe(60 / PER_MINUTE)
    world.clock.advance(waitSeconds * 1000)
    for (let i = 0; i < 2; i++) expect((await get('wrong')).status).toBe(401)
    expect((await get('wrong')).status).toBe(429)
  })

  test('returns 200 for a valid key, however often its address failed', async () => {
    const { world, get } = scene()
    for (let i = 0; i < 10; i++) await get('wrong')
    expect((await get(world.key())).status).toBe(200)
    expect((await get('wrong')).status).toBe(429)
  })

  test('is unaffected by a flood from another address', async () => {
    const { from, get } = scene()
    for (let i = 0; i < 10; i++) await get('wrong')
    from('192.0.2.2')
    expect((await get('wrong')).status).toBe(401)
  })

  test('does not count other errors, and limits recording like reading', async () => {
    const { world, get } = scene()
    const key = world.key()
    for (let i = 0; i < 10; i++) await get(key, '/rates')
    for (let i = 0; i < 10; i++) await get(key, '/nowhere')
    for (let i = 0; i < 2 * PER_MINUTE; i++) expect((await get('wrong')).status).toBe(401)
    expect((await get('wrong')).status).toBe(429)
  })

  test('looks up no address while the failures of all together are within the limit of one', async () => {
    const { asked, get } = scene()
    for (let i = 0; i < PER_MINUTE; i++) await get('wrong')
    expect(asked()).toBe(0)
    await get('wrong')
    expect(asked()).toBe(1)
  })
})
