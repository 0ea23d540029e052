import { MINUTE_MS } from './duration.ts'

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/**
 * Epoch milliseconds of an ISO-8601 date-time with its offset, or null when it is none.
 *
 * The calendar is checked (no 30 February, no 24:00, no leap second); digits beyond the millisecond
 * are cut off.
 */
export function instantOf(text: string): number | null {
  const match = DATE_TIME.exec(text)
  if (!match) return null
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset = 'Z'] = match
  const dateMs = utcDateMs(Number(year), Number(month), Number(day))
  if (dateMs === null) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const offsetMs = offsetMsOf(offset)
  if (offsetMs === null) return null
  const timeMs = (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * 1000
  return dateMs + timeMs + Number(fraction.padEnd(3, '0').slice(0, 3)) - offsetMs
}

/** Epoch milliseconds of the UTC midnight that starts a `YYYY-MM-DD` date, or null. */
export function dateMsOf(text: string): number | null {
  const match = DATE.exec(text)
  return match && utcDateMs(Number(match[1]), Number(match[2]), Number(match[3]))
}

function utcDateMs(year: number, month: number, day: number): number | null {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal ? date.getTime() : null
}

function offsetMsOf(offset: string): number | null {
  if (offset === 'Z' || offset === 'z') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(-2))
  if (hours > 23 || minutes > 59) return null
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS
}
