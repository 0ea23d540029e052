import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import { freshnessAt } from '~/domain/freshness.ts'
import { iso, presentFreshness, presentMid } from '~/wire/present.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

describe('iso', () => {
  test('is UTC with milliseconds, even if they are zero', () => {
    expect(iso(NOW_MS)).toBe('2026-03-05T14:25:30.500Z')
    expect(iso(0)).toBe('1970-01-01T00:00:00.000Z')
  })

  test('agrees with Date, in any order of times', () => {
    const anyDay = fc.date({ noInvalidDate: true }).map((date) => date.getTime())
    const sameDay = fc.integer({ min: 0, max: DAY_MS - 1 }).map((ms) => NOW_MS + ms)
    const edges = fc
      .tuple(fc.integer({ min: -800_000, max: 3_000_000 }), fc.integer({ min: -1, max: 1 }))
      .map(([day, ms]) => day * DAY_MS + ms)
    fc.assert(
      fc.property(fc.oneof(anyDay, sameDay, edges), (ms) => {
        expect(iso(ms)).toBe(new Date(ms).toISOString())
      }),
      { numRuns: 5000 },
    )
  })

  test('throws our own error for an invalid time', () => {
    expect(() => iso(Number.NaN)).toThrow(RangeError)
    expect(() => iso(Number.POSITIVE_INFINITY)).toThrow(RangeError)
  })
})

describe('presentFreshness', () => {
  test('has the cutoff of the hourly tier, the top of the hour', () => {
    expect(presentFreshness(freshnessAt('hourly', NOW_MS))).toEqual({
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'hourly',
      as_of: '2026-03-05T14:00:00.000Z',
    })
  })

  test('has at the top of the hour that time as the cutoff', () => {
    const top = Date.parse('2026-03-05T15:00:00.000Z')
    expect(presentFreshness(freshnessAt('hourly', top)).as_of).toBe('2026-03-05T15:00:00.000Z')
    expect(presentFreshness(freshnessAt('hourly', top - 1)).as_of).toBe('2026-03-05T14:00:00.000Z')
  })

  test('has no as_of at the realtime tier', () => {
    expect(presentFreshness(freshnessAt('realtime', NOW_MS))).toEqual({
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'realtime',
    })
  })
})

describe('presentMid', () => {
  test('has its fields together, with the numbers rounded', () => {
    expect(
      presentMid({
        ...{ rate: 110.00000000000001, source: 'ecb+open', atMs: NOW_MS },
        ...{ basis: 'consensus', dispersionBps: 12.34567 },
      }),
    ).toEqual({
      mid_rate: 110,
      mid_source: 'ecb+open',
      mid_fetched_at: '2026-03-05T14:25:30.500Z',
      mid_basis: 'consensus',
      mid_dispersion_bps: 12.3457,
    })
  })

  test('has no fields without a mid, not even an empty one', () => {
    expect(Object.keys(presentMid(null))).toEqual([])
  })
})
