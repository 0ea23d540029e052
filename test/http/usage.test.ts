import { describe, expect, test } from 'bun:test'
import { World } from '../support/world.ts'
import { QUOTA_HEADERS } from './questions.ts'

const PATH = '/admin/usage'

describe('GET /admin/usage', () => {
  test('returns 200 with the plan, the day, the budget, the calling key and seven days', async () => {
    const world = new World()
    const { id, keyId, key } = world.account('free')
    const second = world.addKey(id, 'second')
    for (let i = 0; i < 3; i++) await world.get('/providers', key)
    await world.get('/providers', second.key)
    const { status, body } = await world.get(PATH, second.key)
    expect(status).toBe(200)
    expect(body).toEqual({
      plan: 'free',
      period_start: '2026-03-05T00:00:00.000Z',
      period_end: '2026-03-06T00:00:00.000Z',
      limit: 50,
      used: 4,
      remaining: 46,
      reset: Date.parse('2026-03-06T00:00:00Z') / 1000,
      key: { id: second.keyId, name: 'second' },
      keys_today: [
        { key_id: keyId, name: 'default', requests: 3 },
        { key_id: second.keyId, name: 'second', requests: 1 },
      ],
      daily_history: [
        ...['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'].map(
          (date) => ({ date, requests: 0 }),
        ),
        { date: '2026-03-05', requests: 4 },
      ],
      timestamp: '2026-03-05T14:25:30.500Z',
    })
  })

  test('never costs a unit, by GET or HEAD, and has the budget in its headers', async () => {
    const world = new World()
    const key = world.key('pro')
    for (let i = 0; i < 300; i++) expect((await world.get(PATH, key)).status).toBe(200)
    const { headers } = await world.get(PATH, key, { method: 'HEAD' })
    expect(QUOTA_HEADERS.map((name) => headers.get(name))).toEqual([
      ...['250', '250', String(Date.parse('2026-03-06T00:00:00Z') / 1000)],
      ...['"day";r=250;t=34470', '"day";q=250;w=86400'],
    ])
    expect(headers.get('x-data-freshness')).toBeNull()
    expect((await world.get(PATH, key)).body.used).toBe(0)
  })

  test('returns 200 to a caller whose budget is spent', async () => {
    const world = new World()
    const key = world.key('free')
    for (let i = 0; i < 51; i++) await world.get('/providers', key)
    const { status, body } = await world.get(PATH, key)
    expect(status).toBe(200)
    expect(body).toMatchObject({ used: 50, remaining: 0 })
  })

  test('starts over at midnight and keeps the days before', async () => {
    const world = new World()
    const { keyId, key } = world.account('free')
    await world.get('/providers', key)
    world.clock.set('2026-03-05T23:59:59.999Z')
    await world.get('/providers', key)
    expect((await world.get(PATH, key)).body.used).toBe(2)
    world.clock.advance(1)
    await world.get('/providers', key)
    const { body } = await world.get(PATH, key)
    expect(body).toMatchObject({ used: 1, period_start: '2026-03-06T00:00:00.000Z' })
    expect(body.keys_today).toEqual([{ key_id: keyId, name: 'default', requests: 1 }])
    expect(body.daily_history.slice(-2)).toEqual([
      { date: '2026-03-05', requests: 2 },
      { date: '2026-03-06', requests: 1 },
    ])
    world.clock.set('2026-03-12T00:00:00.000Z')
    const dates = (await world.get(PATH, key)).body.daily_history
    expect(dates[0]).toEqual({ date: '2026-03-06', requests: 1 })
  })

  test('lists a revoked key only on a day it was used', async () => {
    const world = new World()
    const { id, key } = world.account('free')
    const used = world.addKey(id, 'used')
    const unused = world.addKey(id, 'unused')
    await world.get('/providers', used.key)
    const rows = world.memory.current.keys.keysOf(id)
    const keys = rows
      .filter((row) => row.id === used.keyId || row.id === unused.keyId)
      .map((row) => ({ ...row, revokedMs: world.clock.now() }))
    world.memory.publish({ access: { accounts: [], keys } }, world.clock.now())
    const names = async () =>
      (await world.get(PATH, key)).body.keys_today.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['default', 'used'])
    world.clock.set('2026-03-06T00:00:00Z')
    expect(await names()).toEqual(['default'])
  })

  test('shows nothing of other accounts', async () => {
    const world = new World()
    await world.get('/providers', world.key('free'))
    const { body } = await world.get(PATH, world.key('free'))
    expect([body.used, body.keys_today.length]).toEqual([0, 1])
  })

  test('returns 401 without a key or with a wrong one, and no budget', async () => {
    const world = new World()
    for (const key of [undefined, 'wrong']) {
      const { status, headers } = await world.get(PATH, key)
      expect(status).toBe(401)
      for (const name of QUOTA_HEADERS) expect(headers.get(name)).toBeNull()
    }
  })
})
