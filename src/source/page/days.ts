import { FeedError } from '~/domain/feed/feed.ts'
import { instantOf } from '~/domain/instant.ts'
import { countriesUsing } from '~/domain/offer/country.ts'
import type { BankDay, BankRate, Span } from '~/domain/source/day.ts'
import { dateIn, midnightMs, wallMs } from '~/domain/source/zone.ts'

/** Functions that read the rows of a response; both may throw a FeedError. */
type Reading<Row> = {
  readonly timeZone: string
  /** Requested span: older rows are passed over unread. */
  readonly span: Span
  when(row: Row): string
  /** Returns the rate of a row; null for a currency or a row that is of no use here. */
  rate(row: Row): BankRate | null
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:$|T)/

/** The inverse of the share of a response's rows that may be unreadable. */
const ROWS_PER_MISPRINT_MIN = 10

/**
 * The days in the rows of a response, from the first day of the span on; none for no rows.
 *
 * Long histories hold misprints: a few unreadable rows are left out. More of them, or rows without
 * any usable one, mean that the response has changed, and throw a FeedError. Units that are not a
 * country's currency are left out: gold, special drawing rights, withdrawn currencies. A rate that
 * a bank states twice is returned twice.
 */
export function bankDays<Row>(rows: readonly Row[], reading: Reading<Row>): BankDay[] {
  const first = dateIn(reading.span.sinceMs, reading.timeZone)
  const days = new Map<string, BankRate[]>()
  const faults: FeedError[] = []
  let read = 0
  for (const row of rows)
    try {
      const when = reading.when(row)
      if (!DATE.test(when)) throw new FeedError('malformed', 'gives no date as 2026-05-19')
      if (when < first) continue
      read++
      const rate = reading.rate(row)
      if (!rate || !isMoney(rate.currency)) continue
      days.getOrInsert(when, []).push(rate)
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      faults.push(error)
    }
  if (faults.length * ROWS_PER_MISPRINT_MIN > rows.length) throw faults[0]!
  if (days.size === 0 && read > 0)
    throw new FeedError('malformed', `gives ${read} rows, and no price in a known currency`)
  return [...days].map(([when, rates]) => ({ atMs: momentMs(when, reading.timeZone), rates }))
}

const money = new Map<string, boolean>()

function isMoney(code: string): boolean {
  const known = money.get(code) ?? countriesUsing(code).length > 0
  if (money.size < CODES_MAX) money.set(code, known)
  return known
}

/** More codes than there are currencies: a response full of invented ones fills no memory. */
const CODES_MAX = 1000

function momentMs(when: string, timeZone: string): number {
  const utcMs = instantOf(`${when}Z`)
  const atMs = utcMs === null ? midnightMs(when, timeZone) : wallMs(utcMs, timeZone)
  if (atMs === null) throw new FeedError('malformed', 'gives a date that is not in the calendar')
  return atMs
}
