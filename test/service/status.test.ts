import { describe, expect, test } from 'bun:test'
import { noState } from '~/domain/feed/state.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { statusOf } from '~/service/status.ts'
import { PROVIDERS } from '../support/catalogue.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

/** Reports for a time whether the current response still holds. */
function holding(world: World): (ms: number) => boolean {
  const view = viewOf(world)
  statusOf(view)
  return (ms) => view.basis.holds(world.memory.current, freshnessAt('realtime', ms))
}

describe('statusOf', () => {
  test('has null for both times and no recent mid before the first quote and the first reference', () => {
    expect(statusOf(viewOf(new World()))).toEqual({
      corridorCount: 0,
      providerCount: PROVIDERS.length,
      lastRateMs: null,
      feed: null,
      isMidRecent: false,
      feeds: noState,
      sources: [],
      connectors: [],
      doubtfulPegs: [],
      doubtfulMids: [],
    })
  })

  test('counts live quotes and names the newest quote and reference', () => {
    const world = new World()
    const at = '2026-03-05T14:00:00.000Z'
    world.quote({ providerId: 'retail-a', rate: 1 }, { providerId: 'retail-b', rate: 1, at })
    world.quote({ providerId: 'official-a', to: 'NGN', rate: 1, at })
    world.reference({ KES: 130 }, { at })
    const status = statusOf(viewOf(world))
    expect(status.corridorCount).toBe(2)
    expect(status.lastRateMs).toBe(world.clock.now())
    expect(status.feed?.atMs).toBe(Date.parse(at))
    expect(status.isMidRecent).toBe(true)
  })

  test('has a recent mid to the last millisecond of its age', () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.clock.advance(72 * 3_600_000)
    expect(statusOf(viewOf(world)).isMidRecent).toBe(true)
    world.clock.advance(1)
    expect(statusOf(viewOf(world)).isMidRecent).toBe(false)
  })

  test('a response holds as long as the age of each feed in whole seconds', () => {
    const world = new World()
    const nowMs = world.clock.now()
    const attempts = { triedMs: nowMs, failedMs: null, fault: null, message: null }
    const feed = { id: 'a', source: 'a', upstreamMs: null, currencies: 0, waitUntilMs: null }
    const record = { ...attempts, ...feed, succeededMs: nowMs - 5500, isFailing: false }
    world.memory.publish({ feeds: { ...noState, ranMs: nowMs, feeds: [record] } }, nowMs)
    expect([nowMs, nowMs + 499, nowMs + 500].map(holding(world))).toEqual([true, true, false])
  })

  test('a response holds as long as the age of the newest reference in whole seconds', () => {
    const world = new World()
    const nowMs = world.clock.now()
    world.reference({ KES: 130 }, { at: new Date(nowMs - 5200).toISOString() })
    expect([nowMs, nowMs + 799, nowMs + 800].map(holding(world))).toEqual([true, true, false])
  })
})
