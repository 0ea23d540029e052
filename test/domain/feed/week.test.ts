import { describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { type Habit, sendingStateOf } from '~/domain/feed/silence.ts'
import { nextDueMs, type SendingDay, weekOf } from '~/domain/feed/week.ts'

/** A Monday. */
const START_MS = Date.parse('2026-01-05T00:00:00Z')
const WEEK_MS_MAX = 35 * DAY_MS

/** The times of sending on a day, in hours; empty for a day without one. */
type Plan = (day: number, weekday: number) => readonly number[]

/** A little earlier or later from day to day, the same in every run. */
const swing = (day: number): number => (((day * 7) % 11) - 5) / 15

const onWorkdays =
  (hours: readonly number[]): Plan =>
  (day, weekday) =>
    weekday >= 1 && weekday <= 5 ? hours.map((hour) => hour + swing(day)) : []
const PLANS: Readonly<Record<string, Plan>> = {
  'once on each workday': onWorkdays([9]),
  'by the hour of an office': onWorkdays([8, 9, 10, 11, 12, 13, 14, 15, 16, 17]),
  'once on each day': (day) => [9 + swing(day)],
  'by the hour, all week': () => Array.from({ length: 24 }, (_, hour) => hour + 0.1),
  'by the hour from Sunday evening to Friday': (_, weekday) => {
    if (weekday === 6) return []
    const first = weekday === 0 ? 22 : 0
    return Array.from({ length: 24 - first }, (_, hour) => first + hour + 0.1)
  },
}

/** The sendings of nine weeks, except on the missed days. */
function sent(plan: Plan, missed: (day: number) => boolean = () => false): number[] {
  return Array.from({ length: 63 }, (_, day) => {
    const hours = missed(day) ? [] : plan(day, new Date(START_MS + day * DAY_MS).getUTCDay())
    return hours.map((hour) => START_MS + day * DAY_MS + hour * HOUR_MS)
  }).flat()
}

/** Habit at a time, as the database has it. */
function habitAt(times: readonly number[], nowMs: number): Habit {
  const heard = times.filter((ms) => ms <= nowMs)
  const gaps = heard.slice(-30).flatMap((ms, i, all) => (i === 0 ? [] : [ms - all[i - 1]!]))
  const byDay = Map.groupBy(
    heard.filter((ms) => ms > nowMs - WEEK_MS_MAX),
    (ms) => Math.floor(ms / DAY_MS),
  )
  return {
    newestMs: heard.at(-1)!,
    usualIntervalMs: gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]!,
    days: [...byDay.values()].map((all): SendingDay => [all[0]!, all.at(-1)!]),
  }
}

/** The times of the second month at which it counts as silent, checked every ten minutes. */
function alarms(times: readonly number[], fromDay: number, toDay: number): number[] {
  const found = []
  const [fromMs, toMs] = [START_MS + fromDay * DAY_MS, START_MS + toDay * DAY_MS]
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 10 * MINUTE_MS)
    if (sendingStateOf(habitAt(times, nowMs), nowMs) === 'silent') found.push(nowMs)
  return found
}

describe('the week of a provider', () => {
  test.each(Object.entries(PLANS))('raises no alarm in a month of sending %s', (_, plan) => {
    expect(alarms(sent(plan), 35, 63)).toEqual([])
  })

  test.each([
    ['a Monday', 42],
    ['a Wednesday', 44],
  ])('raises an alarm by noon of %s that is missed, and not before it was due', (_, day) => {
    for (const name of ['once on each workday', 'by the hour of an office', 'once on each day']) {
      const missed = (one: number) => one === day
      const [first] = alarms(sent(PLANS[name]!, missed), 35, day + 1)
      const dueMs = START_MS + day * DAY_MS + 8 * HOUR_MS
      expect([name, first! > dueMs]).toEqual([name, true])
      expect([name, first! <= dueMs + 4 * HOUR_MS]).toEqual([name, true])
    }
  })

  test('raises an alarm on the same day if it stops in the middle of that day', () => {
    const plan = PLANS['by the hour of an office']!
    const times = sent(plan).filter((ms) => ms < START_MS + 44 * DAY_MS + 11 * HOUR_MS)
    const [first] = alarms(times, 35, 45)
    expect((first! - START_MS - 44 * DAY_MS) / HOUR_MS).toBeWithin(13, 15)
  })

  test('expects the next sending two hours late, or later if the usual hour varies more', () => {
    const dueHours = (...hours: readonly number[]) => {
      const days = Array.from({ length: 21 }, (_, day): SendingDay => {
        const ms = START_MS + day * DAY_MS + hours[Math.floor(day / 7)]! * HOUR_MS
        return [ms, ms]
      })
      return (nextDueMs(weekOf(days)!, days.at(-1)![0]) - START_MS - 21 * DAY_MS) / HOUR_MS
    }
    expect([dueHours(10, 10, 10), dueHours(8, 10, 13)]).toEqual([12, 16])
  })

  test('is null for a few days, and for days without a weekly pattern', () => {
    const days = (all: readonly number[]) =>
      all.map((day): SendingDay => [START_MS + day * DAY_MS, START_MS + day * DAY_MS])
    expect(weekOf([])).toBeNull()
    expect(weekOf(days([0, 1, 2, 3, 4, 5, 6]))).toBeNull()
    expect(weekOf(days([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))).toBeNull()
    expect(weekOf(days([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]))?.size).toBe(7)
    expect(weekOf(days([0, 2, 5, 7, 8, 12, 15, 17, 22, 24, 27, 33]))).toBeNull()
    expect(weekOf(days([0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 14]))?.size).toBe(5)
  })
})
