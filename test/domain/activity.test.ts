import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { wasActive } from '~/domain/activity.ts'

describe('wasActive', () => {
  test('returns the present state if nothing has ever changed', () => {
    for (const isActive of [true, false])
      for (const atMs of [Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY])
        expect(wasActive({ isActive, changes: [] }, atMs)).toBe(isActive)
  })

  test('returns the state between changes, and each new state from its own time on', () => {
    const gone = { isActive: false, changes: [{ sinceMs: 5, isActive: false }] }
    expect([4, 5, 6].map((atMs) => wasActive(gone, atMs))).toEqual([true, false, false])
    const back = {
      isActive: true,
      changes: [...gone.changes, { sinceMs: 9, isActive: true }],
    }
    expect([4, 5, 8, 9].map((atMs) => wasActive(back, atMs))).toEqual([true, false, false, true])
  })

  test('ignores a change that was reverted at the same time', () => {
    const changes = [
      { sinceMs: 5, isActive: false },
      { sinceMs: 5, isActive: true },
    ]
    expect([4, 5].map((atMs) => wasActive({ isActive: true, changes }, atMs))).toEqual([true, true])
  })

  test('does not let a later change alter earlier states', () => {
    const times = fc.uniqueArray(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(times, fc.boolean(), fc.nat({ max: 20 }), (found, first, atMs) => {
        const changes = found
          .sort((a, b) => a - b)
          .map((sinceMs, i) => ({ sinceMs, isActive: i % 2 === 0 ? first : !first }))
        const earlier = changes.slice(0, -1)
        fc.pre(atMs < changes.at(-1)!.sinceMs)
        const before = { isActive: !changes.at(-1)!.isActive, changes: earlier }
        const after = { isActive: changes.at(-1)!.isActive, changes }
        expect(wasActive(after, atMs)).toBe(wasActive(before, atMs))
      }),
    )
  })
})
