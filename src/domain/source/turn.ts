import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { type Attempts, isWaiting } from '~/domain/feed/attempts.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Span } from './day.ts'
import type { Publishing, QuoteSource } from './source.ts'
import { dateIn, wallMs } from './zone.ts'

/** What decides whether a bank is asked: how asking went, and the newest day that it stated. */
type Turn = Attempts & {
  /** How often it failed without a success in between. */
  readonly failures: number
  readonly newestMs: number | null
}

const RETRY_MS = 15 * MINUTE_MS
const RETRY_MS_MAX = 6 * HOUR_MS
/** The shortest pause between two looks for a day that is not there yet. */
const LOOK_AGAIN_MS = HOUR_MS

/**
 * Whether a bank is to be asked now.
 *
 * It is once it should have published since it was asked last. While the day is not there, it is
 * asked again after an hour and then after twice the time that has passed; after a failure after a
 * quarter of an hour, doubled up to six hours with each. Never before the moment it asked us to
 * wait for.
 */
export function isDue(turn: Turn, publishing: Publishing, nowMs: number): boolean {
  const { triedMs, isFailing, failures, newestMs } = turn
  if (isWaiting(turn, nowMs)) return false
  if (triedMs === null) return true
  const published = lastPublication(publishing, nowMs)
  if (published !== null && triedMs < published.atMs) return true
  const restMs = nowMs - triedMs
  if (isFailing) return restMs >= Math.min(RETRY_MS * 2 ** Math.max(0, failures - 1), RETRY_MS_MAX)
  if (published === null) return false
  const isThere = newestMs !== null && dateIn(newestMs, publishing.timeZone) >= published.date
  if (isThere) return false
  return restMs >= Math.max(LOOK_AGAIN_MS, triedMs - published.atMs)
}

/** How many days of publication are counted at most. */
const MISSED_DAYS_MAX = 366

/** What tells what a bank has missed: its newest day, and when it was asked for the first time. */
type Stated = Publishing & { readonly newestMs: number | null; readonly begunMs: number | null }

/**
 * On how many days the bank should have published since the newest that it stated, or since it was
 * asked first where it has stated none; null before that. Its holidays count, as nobody tells us of
 * them.
 */
export function missedDays(publishing: Stated, nowMs: number): number | null {
  const newestMs = publishing.newestMs ?? publishing.begunMs
  if (newestMs === null) return null
  const newest = dateIn(newestMs, publishing.timeZone)
  let missed = 0
  for (let ms = nowMs; missed < MISSED_DAYS_MAX && ms > newestMs; ms -= DAY_MS) {
    const publication = publicationOn(dateIn(ms, publishing.timeZone), publishing)
    if (publication && publication.date > newest && publication.atMs <= nowMs) missed++
  }
  return missed
}

/**
 * From how many missed days on a bank counts as late: two holidays in a row are common, and some
 * date their rates a day back.
 */
export const LATE_DAYS = 4

type Publication = { readonly date: string; readonly atMs: number }

/** The last moment at which the bank should have published; null where it never does. */
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

/** How far back a run looks that was asked for nothing earlier. */
const LOOK_BACK_MS = 10 * DAY_MS

/** The span that a run without a wish of its own covers: from the newest day that is known. */
export const usualSpan = (newestMs: number | null, nowMs: number): Span => ({
  sinceMs: Math.max(newestMs ?? 0, nowMs - LOOK_BACK_MS),
  untilMs: nowMs,
})

/**
 * The spans that together cover one, each no longer than a question to the bank reaches, the oldest
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
