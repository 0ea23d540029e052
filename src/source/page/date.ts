import { DAY_MS } from '~/domain/duration.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Span } from '~/domain/source/day.ts'
import { dateIn } from '~/domain/source/zone.ts'

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * A day with its month in English letters or in digits as `YYYY-MM-DD`: `19-May-26`, `19 Mar 2026`,
 * `19/03/2026`. Two digits are a year of this century. Throws a FeedError for anything else.
 */
export function dayFirst(text: string): string {
  const match = /^(\d{1,2})[ /-]([A-Za-z]{3,9}|\d{1,2})[ /-](\d{2}|\d{4})$/.exec(text)
  if (!match) throw noDate('such as 19/05/2026')
  return isoDate({ day: match[1]!, month: monthOf(match[2]!), year: match[3]! })
}

/** The date in `Jan 02 2024` or `May 23, 2026`; a name of the weekday before it is left aside. */
export function monthFirst(text: string): string {
  const match = /^(?:[A-Z][a-z]+day, )?([A-Z][a-z]{2,8}) (\d{1,2}),? (\d{4})$/.exec(text)
  if (!match) throw noDate('such as May 19, 2026')
  return isoDate({ day: match[2]!, month: monthOf(match[1]!), year: match[3]! })
}

/** A date as `YYYY-MM-DD`; throws a FeedError for a day that no calendar has. */
export function isoDate({ day, month, year }: { day: string; month: number; year: string }) {
  const fullYear = year.length === 2 ? `20${year}` : year
  const date = `${fullYear}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  if (dateMsOf(date) === null) throw noDate('of the calendar')
  return date
}

const monthOf = (text: string): number =>
  /^\d/.test(text) ? Number(text) : MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1

const noDate = (wanted: string) =>
  new FeedError('malformed', `gives no date where one ${wanted} was expected`)

/** The days of a span on the calendars of a time zone, oldest first. */
export type Days = Span & {
  readonly first: string
  readonly last: string
  readonly dates: readonly string[]
}

export function daysIn(span: Span, timeZone: string): Days {
  const [first, last] = [dateIn(span.sinceMs, timeZone), dateIn(span.untilMs, timeZone)]
  const count = (dateMsOf(last)! - dateMsOf(first)!) / DAY_MS + 1
  const dates = Array.from({ length: count }, (_, index) =>
    new Date(dateMsOf(first)! + index * DAY_MS).toISOString().slice(0, 10),
  )
  return { ...span, first, last, dates }
}

/** `2026-05-19` as `05/19/2026`. */
export const monthDayYear = (date: string): string =>
  date.replace(/^(\d+)-(\d+)-(\d+)$/, '$2/$3/$1')

/** `2026-05-19` as `19/05/2026`. */
export const dayMonthYear = (date: string): string =>
  date.replace(/^(\d+)-(\d+)-(\d+)$/, '$3/$2/$1')
