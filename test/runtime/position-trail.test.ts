import { describe, expect, test } from 'bun:test'
import { PositionTrail } from '~/runtime/read-replicas.ts'

const REACH_MS = 5000

describe('PositionTrail.lagMs', () => {
  test("is 0 for a replica at the primary's position, or ahead of what we know", () => {
    const trail = new PositionTrail(REACH_MS)
    expect(trail.lagMs(0, 0)).toBe(0)
    trail.note(100, 1000)
    expect([100, 101].map((position) => trail.lagMs(position, 60_000))).toEqual([0, 0])
  })

  test('is the time since the primary was at that position', () => {
    const trail = new PositionTrail(REACH_MS)
    for (let second = 0; second <= 4; second++) trail.note(second * 100, second * 1000)
    expect(trail.lagMs(300, 4500)).toBe(1500)
    expect(trail.lagMs(250, 4500)).toBe(2500)
    expect(trail.lagMs(399, 4500)).toBe(1500)
  })

  test('an idle primary causes no lag, and neither does its first step after a long rest', () => {
    const trail = new PositionTrail(REACH_MS)
    for (let second = 0; second <= 3600; second++) trail.note(100, second * 1000)
    expect(trail.lagMs(100, 3_600_500)).toBe(0)
    trail.note(200, 3_600_600)
    expect(trail.lagMs(100, 3_600_700)).toBeLessThanOrEqual(1000)
  })

  test('is Infinity for a replica that is further behind than matters', () => {
    const trail = new PositionTrail(REACH_MS)
    for (let second = 0; second <= 20; second++) trail.note(second * 100, second * 1000)
    expect(trail.lagMs(1500, 20_000)).toBe(5000)
    expect(trail.lagMs(500, 20_000)).toBe(Number.POSITIVE_INFINITY)
  })
})
