import { describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import {
  advanceOf,
  dayOf,
  mayIngest,
  overshootMax,
  PLANS,
  quotaOf,
  ROLES,
  tierOf,
} from '~/domain/quota.ts'

const MIDNIGHT = Date.parse('2026-03-05T00:00:00.000Z')

describe('dayOf', () => {
  test('changes at UTC midnight and not a millisecond before', () => {
    const day = dayOf(MIDNIGHT)
    expect(dayOf(MIDNIGHT - 1)).toBe(day - 1)
    expect(dayOf(MIDNIGHT + 1)).toBe(day)
    expect(dayOf(MIDNIGHT + DAY_MS - 1)).toBe(day)
    expect(dayOf(MIDNIGHT + DAY_MS)).toBe(day + 1)
  })

  test('counts from 1970-01-01', () => {
    expect(dayOf(0)).toBe(0)
    expect(dayOf(Date.parse('1970-01-02T00:00:00.000Z'))).toBe(1)
  })
})

describe('quotaOf', () => {
  const day = dayOf(MIDNIGHT)

  test('returns the rest of the limit, and the midnight at which it is renewed', () => {
    expect(quotaOf({ limit: 50, used: 12, day })).toEqual({
      limit: 50,
      used: 12,
      remaining: 38,
      resetMs: Date.parse('2026-03-06T00:00:00.000Z'),
    })
  })

  test('returns nothing at the limit, and never a negative number', () => {
    expect(quotaOf({ limit: 50, used: 0, day }).remaining).toBe(50)
    expect(quotaOf({ limit: 50, used: 49, day }).remaining).toBe(1)
    expect(quotaOf({ limit: 50, used: 50, day }).remaining).toBe(0)
    expect(quotaOf({ limit: 50, used: 51, day }).remaining).toBe(0)
    expect(quotaOf({ limit: 0, used: 0, day }).remaining).toBe(0)
  })
})

describe('tierOf', () => {
  test('free and pro are served hourly, enterprise realtime', () => {
    expect(PLANS.map(tierOf)).toEqual(['hourly', 'hourly', 'realtime'])
  })
})

describe('mayIngest', () => {
  test('treasury and admin may, members may not', () => {
    expect(ROLES.map(mayIngest)).toEqual([false, true, true])
  })
})

describe('advanceOf', () => {
  const slots = Array.from({ length: 20 }, (_, slot) => slot)

  test('is half of the rest after the previous slots of a tenth of the limit, rounded up', () => {
    expect(slots.slice(0, 7).map((slot) => advanceOf(1090, slot))).toEqual([55, 27, 14, 7, 3, 2, 1])
    expect(slots.slice(0, 3).map((slot) => advanceOf(20, slot))).toEqual([1, 1, 0])
  })

  test('never exceeds the overshoot, a tenth of the limit, for all slots together', () => {
    for (const limit of [0, 9, 10, 19, 20, 50, 1090, 1_000_003]) {
      const all = slots.reduce((sum, slot) => sum + advanceOf(limit, slot), 0)
      expect([limit, all <= overshootMax(limit), all * 10 <= limit]).toEqual([limit, true, true])
    }
  })
})
