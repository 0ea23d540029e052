import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { HOUR_MS } from '~/domain/duration.ts'
import { freshnessAt, hourStartMs } from '~/domain/freshness.ts'

const HOUR = Date.parse('2026-03-05T14:00:00.000Z')
const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0) })

describe('hourStartMs', () => {
  test('changes with the first millisecond of the hour, and not before', () => {
    expect(hourStartMs(HOUR - 1)).toBe(HOUR - HOUR_MS)
    expect(hourStartMs(HOUR)).toBe(HOUR)
    expect(hourStartMs(HOUR + 1)).toBe(HOUR)
    expect(hourStartMs(HOUR + HOUR_MS - 1)).toBe(HOUR)
  })

  test('returns the top of an hour, at most an hour before the given time', () => {
    fc.assert(
      fc.property(instants, (ms) => {
        const start = hourStartMs(ms)
        expect(new Date(start).toISOString()).toEndWith(':00:00.000Z')
        expect(ms - start).toBeWithin(0, HOUR_MS)
      }),
    )
  })
})

describe('freshnessAt', () => {
  test('ends the hourly tier at the top of the hour', () => {
    const nowMs = HOUR + 1_530_500
    expect(freshnessAt('hourly', nowMs)).toEqual({
      ...{ tier: 'hourly', nowMs, cutoffMs: HOUR },
      isSample: false,
    })
  })

  test('counts the new hour from its first millisecond, and not before', () => {
    expect(freshnessAt('hourly', HOUR).cutoffMs).toBe(HOUR)
    expect(freshnessAt('hourly', HOUR - 1).cutoffMs).toBe(HOUR - HOUR_MS)
  })

  test('never ends the realtime tier', () => {
    const { cutoffMs, nowMs } = freshnessAt('realtime', HOUR)
    expect(cutoffMs).toBe(Number.POSITIVE_INFINITY)
    expect(nowMs).toBe(HOUR)
  })
})
