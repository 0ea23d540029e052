import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS } from '~/domain/duration.ts'
import {
  BUCKETS_MAX,
  bucketEndMs,
  bucketStartMs,
  bucketStartsMs,
  INTERVALS,
  seriesWindow,
} from '~/domain/series.ts'

const at = (text: string) => Date.parse(text)
const NOW_MS = at('2026-03-05T14:25:30.500Z')

describe('seriesWindow', () => {
  test('moves the start back and the end forward to whole buckets', () => {
    const asked = { fromMs: at('2026-03-01T10:00:00Z'), toMs: at('2026-03-03T00:00:00.001Z') }
    expect(seriesWindow({ ...asked, nowMs: NOW_MS }, 'P1D')).toEqual({
      fromMs: at('2026-03-01T00:00:00Z'),
      beforeMs: at('2026-03-04T00:00:00Z'),
      isCut: false,
      isAhead: false,
    })
  })

  test('keeps limits that are bucket limits', () => {
    const asked = { fromMs: at('2026-03-01T00:00:00Z'), toMs: at('2026-03-03T00:00:00Z') }
    const { fromMs, beforeMs } = seriesWindow({ ...asked, nowMs: NOW_MS }, 'P1D')
    expect([fromMs, beforeMs]).toEqual([asked.fromMs, asked.toMs])
  })

  test('ends with the bucket that begins at the current time', () => {
    const nowMs = at('2026-03-05T14:00:00Z')
    const asked = { fromMs: nowMs - DAY_MS, toMs: nowMs + 1, nowMs }
    const { beforeMs, isAhead } = seriesWindow(asked, 'PT1H')
    expect([beforeMs, isAhead]).toEqual([at('2026-03-05T15:00:00Z'), false])
    expect(seriesWindow({ ...asked, toMs: nowMs }, 'PT1H').beforeMs).toBe(nowMs)
    const ahead = seriesWindow({ ...asked, toMs: nowMs + DAY_MS }, 'PT1H')
    expect([ahead.beforeMs, ahead.isAhead]).toEqual([beforeMs, true])
  })

  test('has whole buckets, at least one, never too many, and none after the present', () => {
    const moments = fc.integer({ min: NOW_MS - 900 * DAY_MS, max: NOW_MS + 900 * DAY_MS })
    fc.assert(
      fc.property(moments, moments, fc.constantFrom(...INTERVALS), (a, b, interval) => {
        const asked = { fromMs: Math.min(a, b, NOW_MS), toMs: Math.max(a, b), nowMs: NOW_MS }
        const window = seriesWindow(asked, interval)
        const startsMs = bucketStartsMs(window, interval)
        const count = startsMs.length
        expect(bucketEndMs(startsMs.at(-1)!, interval)).toBe(window.beforeMs)
        expect(count).toBeGreaterThanOrEqual(1)
        expect(count).toBeLessThanOrEqual(BUCKETS_MAX[interval])
        expect(bucketStartMs(window.fromMs, interval)).toBe(window.fromMs)
        expect(startsMs.at(-1)!).toBeLessThanOrEqual(NOW_MS)
        const mostMs =
          window.beforeMs - bucketStartMs(window.beforeMs, interval, -BUCKETS_MAX[interval])
        expect(window.isCut).toBe(Math.min(asked.toMs, NOW_MS) - asked.fromMs > mostMs)
        if (window.fromMs > asked.fromMs) expect(count).toBe(BUCKETS_MAX[interval])
        if (!window.isCut)
          expect(window.fromMs - asked.fromMs).toBeLessThanOrEqual(
            bucketEndMs(asked.fromMs, interval) - asked.fromMs,
          )
      }),
    )
  })

  test('drops the oldest part of a bucket, without a cut, if only rounding adds one too many', () => {
    const fromMs = NOW_MS - 7 * DAY_MS
    const asked = { toMs: NOW_MS + 1, nowMs: NOW_MS }
    expect(seriesWindow({ fromMs, ...asked }, 'PT1H')).toEqual({
      fromMs: at('2026-02-26T15:00:00Z'),
      beforeMs: at('2026-03-05T15:00:00Z'),
      isCut: false,
      isAhead: false,
    })
    expect(seriesWindow({ fromMs: fromMs - 1, ...asked }, 'PT1H').isCut).toBe(true)
  })
})

test('weeks begin on Monday, and months on their first day, whatever their length', () => {
  const day = (text: string, interval: 'P1W' | 'P1M') =>
    [bucketStartMs(at(text), interval), bucketEndMs(at(text), interval)].map((ms) =>
      new Date(ms).toISOString().slice(0, 10),
    )
  expect(day('2027-01-03T23:59:59.999Z', 'P1W')).toEqual(['2026-12-28', '2027-01-04'])
  expect(day('2027-01-04T00:00:00Z', 'P1W')).toEqual(['2027-01-04', '2027-01-11'])
  expect(day('1969-12-31T00:00:00Z', 'P1W')).toEqual(['1969-12-29', '1970-01-05'])
  expect(day('2028-02-29T12:00:00Z', 'P1M')).toEqual(['2028-02-01', '2028-03-01'])
  expect(day('2026-12-31T23:59:59.999Z', 'P1M')).toEqual(['2026-12-01', '2027-01-01'])
})

test('bucketStartsMs has the oldest first', () => {
  const window = { fromMs: 0, beforeMs: 3 * DAY_MS }
  expect(bucketStartsMs(window, 'P1D')).toEqual([0, DAY_MS, 2 * DAY_MS])
})
