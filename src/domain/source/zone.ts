import { DAY_MS } from '~/domain/duration.ts'
import { dateMsOf } from '~/domain/instant.ts'

/** The time that starts a `YYYY-MM-DD` date in a time zone; null if it is not a date. */
export function midnightMs(date: string, timeZone: string): number | null {
  const utcMs = dateMsOf(date)
  return utcMs === null ? null : wallMs(utcMs, timeZone)
}

/**
 * The time at which clocks of a time zone show what clocks at Greenwich show at `utcMs`.
 *
 * If clocks are put forward over it, the first time after; if they show it twice, the earlier one.
 */
export function wallMs(utcMs: number, timeZone: string): number {
  const guesses = [DAY_MS, -DAY_MS].map((ms) => utcMs - offsetMs(utcMs - ms, timeZone))
  const shown = guesses.filter((ms) => ms + offsetMs(ms, timeZone) === utcMs)
  return shown.length > 0 ? Math.min(...shown) : Math.max(...guesses)
}

/** Reports whether clocks of a time zone never show what clocks at Greenwich show at `utcMs`. */
export function isSkipped(utcMs: number, timeZone: string): boolean {
  const ms = wallMs(utcMs, timeZone)
  return ms + offsetMs(ms, timeZone) !== utcMs
}

/** The `YYYY-MM-DD` that calendars of a time zone show at a time. */
export const dateIn = (atMs: number, timeZone: string): string =>
  new Date(atMs + offsetMs(atMs, timeZone)).toISOString().slice(0, 10)

/** Offset of a time zone's clocks from Greenwich, to the second. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(atMs)
  const part = (type: string) => Number(parts.find((one) => one.type === type)!.value)
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return shown - Math.floor(atMs / 1000) * 1000
}

/** The database has 600 names, and each may be spelt with small and large letters. */
const FORMATS_MAX = 1000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  if (formats.size >= FORMATS_MAX) formats.clear()
  return formats.getOrInsertComputed(
    timeZone,
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone,
        hourCycle: 'h23',
        ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
        ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
      }),
  )
}

/** Reports whether a string names a time zone of the IANA database. */
export function isTimeZone(text: string): boolean {
  try {
    formatOf(text)
    return text.includes('/') || text === 'UTC'
  } catch {
    return false
  }
}
