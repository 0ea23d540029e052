import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { type Attempts, isWaiting, ranBefore } from '~/domain/feed/attempts.ts'
import { dateMsOf } from '~/domain/instant.ts'
import { backfillStartMs } from '~/domain/observation.ts'
import type { Span } from './day.ts'
import type { Publishing, QuoteSource } from './source.ts'
import type { SourceRecord } from './state.ts'
import { dateIn, wallMs } from './zone.ts'

/** State that decides whether a bank is requested: earlier requests, and its newest day. */
type Turn = Pick<SourceRecord, keyof Attempts | 'failures' | 'newestMs'>

const RETRY_MS = 15 * MINUTE_MS
const RETRY_MS_MAX = 6 * HOUR_MS
/** The shortest pause between two looks for a day that is not there yet. */
const LOOK_AGAIN_MS = HOUR_MS

/** The time for which an upstream is left alone after failures in a row: doubled each time. */
export const restMsAfter = (failures: number): number =>
  Math.min(RETRY_MS * 2 ** Math.max(0, failures - 1), RETRY_MS_MAX)

/**
 * Reports whether a bank is to be queried now.
 *
 * It is due once it should have published since the last query. While the day is missing, it is
 * queried again after an hour, and then after twice the time that has passed. After a failure it is
 * queried after a quarter of an hour, doubled up to six hours with each failure. It is never
 * queried before the time it asked us to wait for. A query in the future, from before a clock was
 * turned back, counts as none.
 */
export function isDue(turn: Turn, publishing: Publishing, nowMs: number): boolean {
  const { isFailing, failures, newestMs } = turn
  if (isWaiting(turn, nowMs)) return false
  const triedMs = ranBefore(turn.triedMs, nowMs)
  if (triedMs === null) return true
  const published = lastPublication(publishing, nowMs)
  if (published !== null && triedMs < published.atMs) return true
  const restMs = nowMs - triedMs
  if (isFailing) return restMs >= restMsAfter(failures)
  if (published === null) return false
  const isThere = newestMs !== null && dateIn(newestMs, publishing.timeZone) >= published.date
  if (isThere) return false
  return restMs >= Math.max(LOOK_AGAIN_MS, triedMs - published.atMs)
}

/** The maximum number of days of publication that are counted. */
const MISSED_DAYS_MAX = 366

/** State that shows which days of a bank are missing. */
type Stated = Pick<SourceRecord, keyof Publishing | 'newestMs' | 'begunMs' | 'gaps'>

/**
 * Counts the days on which the bank should have published and of which nothing is recorded: the
 * gaps before its newest day, and the days since then, or since it was first asked if it has stated
 * none; null before that. Holidays count, because the service does not know them.
 */
export function missedDays(publishing: Stated, nowMs: number): number | null {
  const newestMs = publishing.newestMs ?? publishing.begunMs
  if (newestMs === null) return null
  const newest = dateIn(newestMs, publishing.timeZone)
  let missed = publishing.gaps?.length ?? 0
  for (let ms = nowMs; missed < MISSED_DAYS_MAX && ms > newestMs; ms -= DAY_MS) {
    const publication = publicationOn(dateIn(ms, publishing.timeZone), publishing)
    if (publication && publication.date > newest && publication.atMs <= nowMs) missed++
  }
  return missed
}

/**
 * The number of missed days from which a bank counts as late: two holidays in a row are common, and
 * some banks date their rates a day back.
 */
export const LATE_DAYS = 4

type Publication = { readonly date: string; readonly atMs: number }

/** The last time at which the bank should have published; null if it never does. */
function lastPublication(publishing: Publishing, nowMs: number): Publication | null {
  for (let days = 0; days <= 7; days++) {
    const date = dateIn(nowMs - days * DAY_MS, publishing.timeZone)
    const publication = publicationOn(date, publishing)
    if (publication && publication.atMs <= nowMs) return publication
  }
  return null
}

function publicationOn(date: string, { timeZone, publishes }: Publishing): Publication | null {
  const dateMs = dateMsOf(date)!
  if (!publishes.weekdays.includes(weekdayOf(dateMs))) return null
  const [hours, minutes] = publishes.at.split(':').map(Number)
  return { date, atMs: wallMs(dateMs + hours! * HOUR_MS + minutes! * MINUTE_MS, timeZone) }
}

/** The day of the week of a UTC midnight: 1 is Monday, 7 is Sunday. */
const weekdayOf = (dateMs: number): number => new Date(dateMs).getUTCDay() || 7

/** Span of a first run, and of the days without a page that are requested again. */
const LOOK_BACK_MS = 10 * DAY_MS

/**
 * The span of a run without a requested one: from the newest recorded day, or the oldest gap before
 * it, however long ago, within the backfill limit; ten days for a first run.
 */
export function usualSpan(
  { newestMs, gaps = [] }: Known,
  { timeZone }: Zoned,
  nowMs: number,
): Span {
  if (newestMs === null) return { sinceMs: nowMs - LOOK_BACK_MS, untilMs: nowMs }
  const gapsMs = gaps.map((date) => wallMs(dateMsOf(date)!, timeZone))
  return {
    sinceMs: Math.max(Math.min(newestMs, ...gapsMs), backfillStartMs(nowMs)),
    untilMs: nowMs,
  }
}

type Known = Pick<Stated, 'newestMs' | 'gaps'>
type Zoned = Pick<Publishing, 'timeZone'>

/**
 * The days before the newest for which the bank has no page, as dates in its own zone, oldest
 * first. After ten days such a day counts as one on which it did not publish.
 */
export function gapsOf(
  { newestMs, gaps = [] }: Known,
  found: { absent: Iterable<string>; recorded: ReadonlySet<string> },
  { timeZone, nowMs }: Zoned & { nowMs: number },
): string[] {
  if (newestMs === null) return []
  const newest = dateIn(newestMs, timeZone)
  const oldest = dateIn(nowMs - LOOK_BACK_MS, timeZone)
  return [...new Set([...gaps, ...found.absent])]
    .filter((date) => date >= oldest && date < newest && !found.recorded.has(date))
    .sort()
}

/** The dates in a span on which the bank publishes, oldest first. */
export function publicationDates({ sinceMs, untilMs }: Span, source: Publishing): string[] {
  const { timeZone, publishes } = source
  const [first, last] = [sinceMs, untilMs].map((ms) => dateMsOf(dateIn(ms, timeZone))!)
  const dates: string[] = []
  for (let ms = first!; ms <= last!; ms += DAY_MS)
    if (publishes.weekdays.includes(weekdayOf(ms)))
      dates.push(new Date(ms).toISOString().slice(0, 10))
  return dates
}

/**
 * The spans that together cover one, each no longer than a query to the bank may cover, the oldest
 * first. Spans of one day are its days of publication.
 */
export function stepsOf({ sinceMs, untilMs }: Span, source: Asked): Span[] {
  if (typeof source.reach !== 'number') return [{ sinceMs, untilMs }]
  const { timeZone, publishes } = source
  const [first, last] = [sinceMs, untilMs].map((ms) => dateMsOf(dateIn(ms, timeZone))!)
  const steps: Span[] = []
  for (let ms = first!; ms <= last!; ms += source.reach * DAY_MS) {
    if (source.reach === 1 && !publishes.weekdays.includes(weekdayOf(ms))) continue
    const nextMs = wallMs(ms + source.reach * DAY_MS, timeZone)
    steps.push({ sinceMs: wallMs(ms, timeZone), untilMs: Math.min(nextMs - 1, untilMs) })
  }
  return steps
}

type Asked = Pick<QuoteSource, 'reach' | 'timeZone' | 'publishes'>
