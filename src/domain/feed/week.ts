import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { medianOf } from './consensus.ts'

/** The first and the last sending of one UTC day. */
export type SendingDay = readonly [firstMs: number, lastMs: number]

/** The time when it sends on one weekday, in milliseconds of the UTC day. */
type Weekday = {
  readonly firstMs: number
  readonly lastMs: number
  /** Usual delay that the first one may have. */
  readonly slackMs: number
}

/** The weekdays on which it sends, from 0 for Sunday. */
type Week = ReadonlyMap<number, Weekday>

/** The fewest days with sendings that make a week, and the shortest time they must span. */
const DAYS_MIN = 8
const SPAN_MS_MIN = 13 * DAY_MS
const WEEKDAY_SHARE_MIN = 0.6
/** The share of the expected days with a sending from which the week counts as reliable. */
const RELIABLE_SHARE_MIN = 0.85
const SLACK_MS_MIN = 2 * HOUR_MS
/** The number of median deviations of its first sendings by which one may be late. */
const SLACK_DEVIATIONS = 3

/**
 * The weekdays on which a sender is regular, from the days of its last weeks, ascending; null if
 * the days are too few or follow no week.
 */
export function weekOf(days: readonly SendingDay[]): Week | null {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last || days.length < DAYS_MIN || last[0] - first[0] < SPAN_MS_MIN) return null
  const byWeekday = Map.groupBy(days, ([firstMs]) => weekdayOf(firstMs))
  const week = new Map<number, Weekday>()
  let [wanted, sent] = [0, 0]
  for (const [weekday, own] of byWeekday) {
    const weeks = occurrences(weekday, first[0], last[0])
    if (own.length < WEEKDAY_SHARE_MIN * weeks) continue
    wanted += weeks
    sent += own.length
    week.set(weekday, habitOf(own))
  }
  return wanted > 0 && sent >= RELIABLE_SHARE_MIN * wanted ? week : null
}

/** The time when it should have sent again on a later day, after its newest one. */
export function nextDueMs(week: Week, newestMs: number): number {
  for (let dayMs = startOf(newestMs) + DAY_MS; ; dayMs += DAY_MS) {
    const weekday = week.get(weekdayOf(dayMs))
    if (weekday) return dayMs + weekday.firstMs + weekday.slackMs
  }
}

/** The time when it usually ends on the day of a time; null on a day on which it does not send. */
export function dayEndMs(week: Week, ms: number): number | null {
  const weekday = week.get(weekdayOf(ms))
  return weekday ? startOf(ms) + weekday.lastMs : null
}

function habitOf(days: readonly SendingDay[]): Weekday {
  const firsts = days.map(([firstMs]) => firstMs - startOf(firstMs))
  const firstMs = medianOf(firsts)
  const deviation = medianOf(firsts.map((ms) => Math.abs(ms - firstMs)))
  return {
    firstMs,
    lastMs: medianOf(days.map(([, lastMs]) => lastMs - startOf(lastMs))),
    slackMs: Math.max(SLACK_MS_MIN, SLACK_DEVIATIONS * deviation),
  }
}

/** Number of times that a weekday occurs from one day to another. */
function occurrences(weekday: number, fromMs: number, toMs: number): number {
  const firstMs = startOf(fromMs) + ((weekday - weekdayOf(fromMs) + 7) % 7) * DAY_MS
  return firstMs > toMs ? 0 : Math.floor((startOf(toMs) - firstMs) / (7 * DAY_MS)) + 1
}

const startOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS

const weekdayOf = (ms: number): number => new Date(ms).getUTCDay()
