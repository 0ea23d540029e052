import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { staleBestsOf } from '~/service/stale-bests.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const NOW = '2026-03-05T14:25:30.500Z'
const daysAgo = (days: number, ms = 0): string =>
  new Date(Date.parse(NOW) - days * DAY_MS - ms).toISOString()

const seen = (world: World) =>
  staleBestsOf(viewOf(world)).map(({ from, to, provider, atMs, vsMidAtQuoteBps }) => [
    `${from}/${to}`,
    provider.id,
    new Date(atMs).toISOString(),
    vsMidAtQuoteBps === null ? null : Math.round(vsMidAtQuoteBps),
  ])

describe('staleBestsOf', () => {
  test('returns nothing while there are no quotes', () => {
    expect(seen(new World())).toEqual([])
  })

  test('returns the corridors whose best executable price is stale, the oldest first', () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 130, at: daysAgo(10) },
      { providerId: 'retail-b', rate: 129, at: daysAgo(1) },
      { providerId: 'retail-a', to: 'NGN', rate: 1500, at: daysAgo(1) },
      { providerId: 'retail-b', to: 'NGN', rate: 1499, at: daysAgo(10) },
      { providerId: 'p2p-a', to: 'UGX', rate: 3700, at: daysAgo(40) },
      { providerId: 'official-a', to: 'ZAR', rate: 18, at: daysAgo(40) },
    )
    expect(seen(world)).toEqual([
      ['USD/UGX', 'p2p-a', daysAgo(40), null],
      ['USD/KES', 'retail-a', daysAgo(10), null],
    ])
  })

  test('counts a price as stale a millisecond past the age, not at it', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, at: daysAgo(7) })
    expect(seen(world)).toEqual([])
    world.clock.advance(1)
    expect(seen(world)).toHaveLength(1)
  })

  test('compares a price with the mid of its own day, not that of today', () => {
    const world = new World()
    world.reference({ KES: 125, NGN: 1600, UGX: 3700 }, { at: daysAgo(10) })
    world.quote(
      { providerId: 'retail-a', rate: 130, at: daysAgo(10) },
      { providerId: 'retail-a', to: 'NGN', rate: 1584, at: daysAgo(9) },
      { providerId: 'retail-a', to: 'UGX', rate: 3700, at: daysAgo(20) },
    )
    world.reference({ KES: 140, NGN: 1400, UGX: 3600 })
    expect(seen(world)).toEqual([
      ['USD/UGX', 'retail-a', daysAgo(20), null],
      ['USD/KES', 'retail-a', daysAgo(10), 400],
      ['USD/NGN', 'retail-a', daysAgo(9), -100],
    ])
  })

  test('returns nothing if no price counts as stale', () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, at: daysAgo(400) })
    expect(staleBestsOf(viewOf(world, 'realtime', { staleAfterMs: null }))).toEqual([])
  })
})
