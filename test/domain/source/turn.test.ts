import { describe, expect, test } from 'bun:test'
import { NO_ATTEMPTS } from '~/domain/feed/attempts.ts'
import type { Publishing } from '~/domain/source/source.ts'
import {
  gapsOf,
  isDue,
  LATE_DAYS,
  missedDays,
  publicationDates,
  restMsAfter,
  stepsOf,
  usualSpan,
} from '~/domain/source/turn.ts'

const at = (iso: string) => Date.parse(iso)

/** Publishes at 13:30 in Nairobi, which is 10:30 UTC, from Monday to Friday. */
const NAIROBI = {
  timeZone: 'Africa/Nairobi',
  publishes: { at: '13:30', weekdays: [1, 2, 3, 4, 5] },
}
/** Midnight in Nairobi of a date. */
const day = (date: string) => at(`${date}T00:00:00+03:00`)

const turn = (tried: string, more = {}) => ({
  ...{ ...NO_ATTEMPTS, failures: 0, newestMs: null },
  ...{ triedMs: at(tried), succeededMs: at(tried) },
  ...more,
})

describe('isDue', () => {
  test('a bank that was never fetched is due', () => {
    const never = { ...NO_ATTEMPTS, failures: 0, newestMs: null }
    expect(isDue(never, NAIROBI, at('2026-05-20T00:00:00Z'))).toBe(true)
  })

  test('a bank is due from its minute of publication, and not before', () => {
    const yesterday = turn('2026-05-19T12:00:00Z', { newestMs: day('2026-05-19') })
    expect(isDue(yesterday, NAIROBI, at('2026-05-20T10:29:59Z'))).toBe(false)
    expect(isDue(yesterday, NAIROBI, at('2026-05-20T10:30:00Z'))).toBe(true)
  })

  test('a bank that has published its day rests until the next day of publication', () => {
    const friday = turn('2026-05-22T10:31:00Z', { newestMs: day('2026-05-22') })
    for (const then of ['2026-05-22T20:00:00Z', '2026-05-23T10:31:00Z', '2026-05-25T10:29:00Z'])
      expect(isDue(friday, NAIROBI, at(then))).toBe(false)
    expect(isDue(friday, NAIROBI, at('2026-05-25T10:30:00Z'))).toBe(true)
  })

  test('a clock that was turned back delays no fetch', () => {
    const ahead = turn('2026-05-21T12:00:00Z', { newestMs: day('2026-05-19') })
    expect(isDue(ahead, NAIROBI, at('2026-05-20T12:00:00Z'))).toBe(true)
  })

  test('a bank that another replica has just fetched, by a clock ahead of ours, is not due', () => {
    const fetched = turn('2026-05-20T12:01:00Z', { newestMs: day('2026-05-20') })
    expect(isDue(fetched, NAIROBI, at('2026-05-20T12:00:00Z'))).toBe(false)
  })

  test('a missing day is fetched again after an hour, then ever more rarely', () => {
    const first = turn('2026-05-20T10:30:00Z', { newestMs: day('2026-05-19') })
    expect(isDue(first, NAIROBI, at('2026-05-20T11:29:00Z'))).toBe(false)
    expect(isDue(first, NAIROBI, at('2026-05-20T11:30:00Z'))).toBe(true)
    const third = turn('2026-05-20T14:30:00Z', { newestMs: day('2026-05-19') })
    expect(isDue(third, NAIROBI, at('2026-05-20T18:29:00Z'))).toBe(false)
    expect(isDue(third, NAIROBI, at('2026-05-20T18:30:00Z'))).toBe(true)
  })

  test('a failure is retried after a quarter of an hour, doubled up to six hours', () => {
    const failing = (failures: number) =>
      turn('2026-05-20T11:00:00Z', { isFailing: true, failures, newestMs: day('2026-05-20') })
    expect(isDue(failing(1), NAIROBI, at('2026-05-20T11:14:59Z'))).toBe(false)
    expect(isDue(failing(1), NAIROBI, at('2026-05-20T11:15:00Z'))).toBe(true)
    expect(isDue(failing(3), NAIROBI, at('2026-05-20T11:59:00Z'))).toBe(false)
    expect(isDue(failing(3), NAIROBI, at('2026-05-20T12:00:00Z'))).toBe(true)
    expect(isDue(failing(50), NAIROBI, at('2026-05-20T17:00:00Z'))).toBe(true)
  })

  test('a bank that publishes once a week is due from then until it is fetched', () => {
    const weekly = { ...NAIROBI, publishes: { at: '13:30', weekdays: [1] } }
    const before = turn('2026-05-18T10:29:00Z', { newestMs: day('2026-05-11') })
    expect(isDue(before, weekly, at('2026-05-25T10:29:00Z'))).toBe(true)
    const after = turn('2026-05-18T10:30:00Z', { newestMs: day('2026-05-18') })
    expect(isDue(after, weekly, at('2026-05-25T10:29:00Z'))).toBe(false)
  })

  test('a bank that never publishes is fetched once, and again only after a failure', () => {
    const never = { ...NAIROBI, publishes: { at: '13:30', weekdays: [] } }
    const tried = turn('2026-05-20T11:00:00Z')
    expect(isDue(tried, never, at('2026-06-20T11:00:00Z'))).toBe(false)
    expect(isDue({ ...tried, isFailing: true }, never, at('2026-05-20T11:15:00Z'))).toBe(true)
    expect([0, 1, 2].map((failures) => restMsAfter(failures) / 60_000)).toEqual([15, 15, 30])
  })

  test('a bank that asked us to wait is not due before, whatever it should have published', () => {
    const waiting = turn('2026-05-19T10:31:00Z', { waitUntilMs: at('2026-05-20T12:00:00Z') })
    expect(isDue(waiting, NAIROBI, at('2026-05-20T11:59:59Z'))).toBe(false)
    expect(isDue(waiting, NAIROBI, at('2026-05-20T12:00:00Z'))).toBe(true)
  })
})

describe('missedDays', () => {
  const missed = (newestMs: number | null, publishing: Publishing, nowMs: number) =>
    missedDays({ ...publishing, newestMs, begunMs: null }, nowMs)

  test('counts days of publication whose hour has passed, not weekends', () => {
    const friday = day('2026-05-22')
    expect(missed(friday, NAIROBI, at('2026-05-25T10:29:00Z'))).toBe(0)
    expect(missed(friday, NAIROBI, at('2026-05-25T10:30:00Z'))).toBe(1)
    expect(missed(friday, NAIROBI, at('2026-05-28T10:30:00Z'))).toBe(LATE_DAYS)
  })

  test('counts the days of a week that begins on Sunday', () => {
    const cairo = {
      timeZone: 'Africa/Cairo',
      publishes: { at: '15:30', weekdays: [1, 2, 3, 4, 7] },
    }
    const thursday = at('2026-05-20T21:00:00Z')
    expect(missed(thursday, cairo, at('2026-05-23T20:00:00Z'))).toBe(0)
    expect(missed(thursday, cairo, at('2026-05-24T12:30:00Z'))).toBe(1)
  })

  test('counts from the first request to a bank that has stated no day', () => {
    const begun = { ...NAIROBI, newestMs: null, begunMs: at('2026-05-25T10:00:00Z') }
    expect(missedDays(begun, at('2026-05-27T10:30:00Z'))).toBe(2)
  })

  test('is null before the first request, and bounded after years', () => {
    expect(missed(null, NAIROBI, at('2026-05-25T10:30:00Z'))).toBeNull()
    expect(missed(day('2019-01-01'), NAIROBI, at('2026-05-25T10:30:00Z'))).toBe(366)
  })
})

describe('stepsOf', () => {
  const span = { sinceMs: day('2026-05-21'), untilMs: day('2026-05-26') }
  const datesOf = (reach: 'all' | number) =>
    stepsOf(span, { ...NAIROBI, reach }).map(({ sinceMs, untilMs }) => [
      new Date(sinceMs + 3 * 3_600_000).toISOString().slice(0, 10),
      new Date(untilMs + 3 * 3_600_000).toISOString().slice(0, 10),
    ])

  test('a bank that returns all days is fetched once', () => {
    expect(stepsOf(span, { ...NAIROBI, reach: 'all' })).toEqual([span])
  })

  test('a bank that returns one day is fetched only for its days of publication', () => {
    expect(datesOf(1).map(([first]) => first)).toEqual([
      ...['2026-05-21', '2026-05-22', '2026-05-25', '2026-05-26'],
    ])
  })

  test('longer steps meet without a gap, and the last ends with the span', () => {
    expect(datesOf(4)).toEqual([
      ['2026-05-21', '2026-05-24'],
      ['2026-05-25', '2026-05-26'],
    ])
    expect(datesOf(2).map(([first]) => first)).toEqual(['2026-05-21', '2026-05-23', '2026-05-25'])
  })

  test('the days of publication are those at the bank', () => {
    expect(publicationDates(span, NAIROBI)).toEqual([
      ...['2026-05-21', '2026-05-22', '2026-05-25', '2026-05-26'],
    ])
  })
})

describe('usualSpan', () => {
  const nowMs = at('2026-05-25T10:30:00Z')
  const since = (newestMs: number | null, gaps: readonly string[] = []) =>
    usualSpan({ newestMs, gaps }, NAIROBI, nowMs).sinceMs

  test('begins with the newest recorded day, however long ago', () => {
    expect(since(day('2026-05-22'))).toBe(day('2026-05-22'))
    expect(since(day('2024-01-02'))).toBe(day('2024-01-02'))
  })

  test('begins with the oldest gap before the newest day', () => {
    expect(since(day('2026-05-22'), ['2026-05-19', '2026-05-20'])).toBe(day('2026-05-19'))
  })

  test('reaches back ten days before the first response, and never beyond the backfill limit', () => {
    expect(since(null)).toBe(at('2026-05-15T10:30:00Z'))
    expect(since(day('2012-01-02'))).toBe(at('2021-05-25T10:30:00Z'))
  })
})

describe('gapsOf', () => {
  const nowMs = at('2026-05-25T10:30:00Z')
  const gaps = (before: readonly string[], absent: readonly string[], recorded: string[] = []) =>
    gapsOf(
      { newestMs: day('2026-05-22'), gaps: before },
      { absent, recorded: new Set(recorded) },
      { timeZone: NAIROBI.timeZone, nowMs },
    )

  test('returns each day without a page once, oldest first, until it is recorded', () => {
    expect(gaps(['2026-05-20'], ['2026-05-20', '2026-05-19'])).toEqual(['2026-05-19', '2026-05-20'])
    expect(gaps(['2026-05-19', '2026-05-20'], [], ['2026-05-20'])).toEqual(['2026-05-19'])
  })

  test('leaves out the newest day and later ones, which missedDays counts anyway', () => {
    expect(gaps([], ['2026-05-22', '2026-05-25'])).toEqual([])
  })

  test('assumes after ten days that nothing was published on a day', () => {
    expect(gaps(['2026-05-14', '2026-05-15'], [])).toEqual(['2026-05-15'])
  })

  test('returns none before the bank has stated a day', () => {
    const found = { absent: ['2026-05-20'], recorded: new Set<string>() }
    expect(gapsOf({ newestMs: null }, found, { timeZone: NAIROBI.timeZone, nowMs })).toEqual([])
  })

  test('counts among the missed days', () => {
    const stated = { ...NAIROBI, newestMs: day('2026-05-22'), begunMs: null, gaps: ['2026-05-20'] }
    expect(missedDays(stated, at('2026-05-25T10:29:00Z'))).toBe(1)
  })
})
