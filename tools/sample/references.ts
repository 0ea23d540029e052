import { compareText } from '~/domain/rank.ts'
import { type MidRow, plainCsvLine } from './rows.ts'

/** The columns of `reference.csv.gz`, which are those the importer reads. */
export const REFERENCE_HEADER = 'fetched_at,source,currency,per_usd' as const

const SOURCE = 'fawazahmed0'

/**
 * The mids as lines of CSV, oldest first, each at the midnight that starts its day; what the feed
 * says of a pegged currency among them, as a running service would keep it.
 */
export function referenceLines(mids: readonly MidRow[]): string[] {
  const keys = new Set(mids.map(({ date, currency }) => `${date} ${currency}`))
  if (keys.size !== mids.length) throw new Error('two references for one day and currency')
  return mids
    .toSorted((a, b) => compareText(a.date, b.date) || compareText(a.currency, b.currency))
    .map(({ date, currency, per_usd }) =>
      plainCsvLine([`${date}T00:00:00Z`, SOURCE, currency, per_usd]),
    )
}
