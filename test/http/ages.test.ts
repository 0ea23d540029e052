import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { World } from '../support/world.ts'

/** A week before a world's clock, to the millisecond. */
const WEEK_AGO = '2026-02-26T14:25:30.500Z'

const QUESTIONS = {
  '/rates?from=USD&to=KES': '/providers/0',
  '/convert?from=USD&to=KES&amount=200': '/best',
  '/fetch-one?from=USD&to=KES': '/provider_best',
  '/fetch-multi?from=USD&to=KES,NGN': '/results/KES/provider_best',
  '/fetch-many-to-one?from=USD,GBP&to=KES': '/results/USD/provider_best',
  '/fetch-matrix?from=USD,GBP&to=KES,NGN': '/results/USD/KES/provider_best',
  '/rates/provider?provider=retail-a': '/corridors/0',
} as const

/** The part of a body at a JSON pointer. */
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
const part = (body: any, pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .reduce((found, name) => found[name], body)

const quoted = (at: string, staleAfterMs?: number | null) => {
  const world = new World(staleAfterMs === undefined ? {} : { staleAfterMs })
  world.reference({ KES: 130, NGN: 1500, GBP: 0.8 }, { at: '2026-03-05T13:00:00Z' })
  world.quote({ providerId: 'retail-a', rate: 129, fee: 0, feeCurrency: 'USD', at })
  return world
}

describe.each(Object.entries(QUESTIONS))('GET %s', (path, pointer) => {
  test('returns 200 with the time of a price, which is stale from a millisecond past the age', async () => {
    const world = quoted(WEEK_AGO)
    const key = world.key('enterprise')
    const seen = async () => part((await world.get(path, key)).body, pointer)
    const entries = []
    for (const stepMs of [0, 0, 1, DAY_MS]) {
      world.clock.advance(stepMs)
      entries.push(await seen())
    }
    expect(entries.map(({ last_updated }) => last_updated)).toEqual(Array(4).fill(WEEK_AGO))
    expect(entries.map(({ is_stale }) => is_stale)).toEqual([false, false, true, true])
  })

  test('counts the age at the top of the hour at the hourly tier', async () => {
    const world = quoted('2026-02-26T14:00:00.000Z')
    const key = world.key('free')
    const isStale = async () => part((await world.get(path, key)).body, pointer).is_stale
    expect([await isStale(), await isStale()]).toEqual([false, false])
    world.clock.set('2026-03-05T14:59:59.999Z')
    expect(await isStale()).toBe(false)
    world.clock.set('2026-03-05T15:00:00.000Z')
    expect(await isStale()).toBe(true)
  })

  test('marks nothing as stale if no age is set', async () => {
    const world = quoted('2021-03-06T00:00:00Z', null)
    expect(part((await world.get(path, world.key())).body, pointer).is_stale).toBe(false)
  })
})

describe('GET /corridors', () => {
  test('returns 200 with the age of the price behind best_rate, whatever official prices are', async () => {
    const world = quoted(WEEK_AGO)
    world.quote({ providerId: 'official-a', rate: 131 })
    world.quote({ providerId: 'official-a', rate: 1500, to: 'NGN' })
    const key = world.key('enterprise')
    const seen = async () => (await world.get('/corridors', key)).body.corridors
    const last = { last_updated: '2026-03-05T14:25:30.500Z' }
    const none = { ...last, to: 'NGN', best_is_stale: null, best_last_updated: null }
    for (const isStale of [false, true, true]) {
      const best = { best_rate: 129, best_is_stale: isStale, best_last_updated: WEEK_AGO }
      expect(await seen()).toMatchObject([{ ...last, ...best }, none])
      world.clock.advance(1)
    }
  })
})

describe('best_current of GET /convert', () => {
  const PATH = '/convert?from=USD&to=KES&amount=200'
  const stated = { fee: 2, feeCurrency: 'USD' }

  async function bests(world: World) {
    const { body } = await world.get(PATH, world.key())
    expect(body.providers).toContainEqual(body.best)
    if (body.best_current) expect(body.providers).toContainEqual(body.best_current)
    return [body.best.provider_id, body.best_current?.provider_id ?? null]
  }

  test('is the best one itself if that is fresh and its fee is stated', async () => {
    const world = new World()
    world.quote({ ...stated, providerId: 'retail-a', rate: 129 })
    world.quote({ ...stated, providerId: 'p2p-a', rate: 128 })
    expect(await bests(world)).toEqual(['retail-a', 'retail-a'])
  })

  test('skips a price that is stale, has no stated fee, is not executable or is used up by its fee', async () => {
    const world = new World()
    world.quote({ ...stated, providerId: 'retail-a', rate: 150, at: '2026-02-01T00:00:00Z' })
    world.quote({ providerId: 'retail-b', rate: 139 })
    world.quote({ ...stated, providerId: 'official-a', rate: 138 })
    world.quote({ providerId: 'interbank-a', rate: 137, fee: 200, feeCurrency: 'USD' })
    world.quote({ ...stated, providerId: 'p2p-a', rate: 120 })
    expect(await bests(world)).toEqual(['retail-a', 'p2p-a'])
  })

  test('is null if no provider is left', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-b', rate: 139 })
    world.quote({ ...stated, providerId: 'retail-a', rate: 150, at: '2026-02-01T00:00:00Z' })
    expect(await bests(world)).toEqual(['retail-a', null])
  })
})
