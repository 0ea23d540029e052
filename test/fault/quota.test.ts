import { describe, expect, test } from 'bun:test'
import type { Answer } from './answer.ts'
import { QuotaWatch, resetOf } from './quota.ts'

const NOW_MS = Date.parse('2026-03-05T10:00:00Z')
const MIDNIGHT = Date.parse('2026-03-06T00:00:00Z') / 1000

function answer(remaining: number, more: Partial<Answer> & { reset?: number } = {}): Answer {
  const { reset = MIDNIGHT, ...rest } = more
  const headers = new Headers({
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(reset),
  })
  const times = { askedAt: 0, tookMs: 1, fromMs: NOW_MS, toMs: NOW_MS + 1 }
  return { status: 200, headers, body: {}, by: 'a1', ...times, ...rest }
}

describe('QuotaWatch', () => {
  test('accepts decreasing budgets of one replica', () => {
    const watch = new QuotaWatch()
    for (const remaining of [9, 8, 5])
      expect(watch.fault(answer(remaining), watch.floors)).toBeNull()
  })

  test('reports a response that leaves as much as an earlier one, but not as much as a simultaneous one', () => {
    const watch = new QuotaWatch()
    const before = watch.floors
    watch.fault(answer(5), watch.floors)
    expect(watch.fault(answer(6), before)).toBeNull()
    expect(watch.fault(answer(5), watch.floors)).toBe('a1 says 5 remain, after it said 5')
  })

  test('lets other replicas, restarts and another day start over', () => {
    const watch = new QuotaWatch()
    watch.fault(answer(5), watch.floors)
    const tomorrow = { fromMs: NOW_MS + 86_400_000, toMs: NOW_MS + 86_400_000 }
    for (const more of [{ by: 'b1' }, { by: 'a2' }, { ...tomorrow, reset: MIDNIGHT + 86_400 }])
      expect(watch.fault(answer(9, more), watch.floors)).toBeNull()
  })

  test('reports a reset that is not the next midnight, and missing headers', () => {
    const watch = new QuotaWatch()
    expect(watch.fault(answer(5, { reset: MIDNIGHT + 1 }), watch.floors)).toContain('Reset')
    const bare = { ...answer(5), headers: new Headers() }
    expect(watch.fault(bare, watch.floors)).toContain('without')
  })
})

describe('resetOf', () => {
  test('is the next midnight, and at midnight the one after', () => {
    expect(resetOf(NOW_MS)).toBe(MIDNIGHT)
    expect(resetOf(MIDNIGHT * 1000)).toBe(MIDNIGHT + 86_400)
  })
})
