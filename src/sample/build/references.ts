import { compareText, plainCsvLine, type SourceRows } from './rows.ts'

/** The columns of `reference.csv.gz`, which are those the importer reads. */
export const REFERENCE_HEADER = 'fetched_at,source,currency,per_usd' as const

type Placed = { fetchedAt: string; currency: string; line: string }

/**
 * Both reference files as lines of CSV, oldest first.
 *
 * A daily rate stands at the midnight that starts its date. Where the hourly file has a currency on
 * a date, its hours replace the daily rate (which repeats the day's last hour). Which source to
 * trust is no choice here: the daily file has one row a date and currency.
 */
export function referenceLines({ daily, hourly }: SourceRows): string[] {
  const hourlyDays = new Set(hourly.map((row) => dayKey(row.fetched_at.slice(0, 10), row.currency)))
  const placed = [
    ...daily
      .filter((row) => !hourlyDays.has(dayKey(row.date, row.currency)))
      .map((row) => place(`${row.date}T00:00:00Z`, row)),
    ...hourly.map((row) => place(row.fetched_at, row)),
  ]
  placed.sort(
    (a, b) => compareText(a.fetchedAt, b.fetchedAt) || compareText(a.currency, b.currency),
  )
  const keys = new Set(placed.map(({ fetchedAt, currency }) => dayKey(fetchedAt, currency)))
  if (keys.size !== placed.length) throw new Error('two references for one time and currency')
  return placed.map(({ line }) => line)
}

const dayKey = (time: string, currency: string): string => `${time} ${currency}`

type Reference = { source: string; currency: string; per_usd: string }

function place(fetchedAt: string, { source, currency, per_usd }: Reference): Placed {
  return { fetchedAt, currency, line: plainCsvLine([fetchedAt, source, currency, per_usd]) }
}
