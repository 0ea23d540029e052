import type { BucketsAsk, Interval } from '~/domain/series.ts'
import type { Part, Sql } from '~/store/database.ts'

export type BucketRow = {
  readonly start_ms: string
  readonly best: string | null
  readonly samples: string
  readonly open?: string
  readonly low?: string
  readonly close?: string
}

export function bestOf({ best, open, low, close }: BucketRow) {
  if (best === null) return { best, candle: null }
  const high = Number(best)
  const candle =
    open === undefined ? null : { open: Number(open), high, low: Number(low), close: Number(close) }
  return { best: high, candle }
}

/** The buckets of `rows`, a FROM of rows with `at`, `best` and `samples`. */
export function bucketed(
  sql: Sql,
  { interval, isOhlc }: Pick<BucketsAsk, 'interval' | 'isOhlc'>,
  rows: Part,
) {
  const start = sql`extract(epoch from ${bucketOf(sql, interval, sql`at`)}) * 1000 as start_ms`
  if (!isOhlc)
    return sql`select ${start}, max(best) as best, sum(samples) as samples ${rows} group by 1`
  const unit = interval === 'PT1H' ? sql`at` : sql`date_bin(interval '1 hour', at, 'epoch')`
  return sql`
    select ${start}, max(best) as best, sum(samples) as samples, min(best) as low,
      (array_agg(best order by at) filter (where best is not null))[1] as open,
      (array_agg(best order by at desc) filter (where best is not null))[1] as close
    from (
      select ${unit} as at, max(best) as best, sum(samples) as samples ${rows} group by 1
    ) units
    group by 1`
}

/** The start of the bucket that holds a time; `date_bin` knows no months. */
const bucketOf = (sql: Sql, interval: Interval, at: Part) =>
  interval === 'P1M'
    ? sql`date_trunc('month', ${at}, 'UTC')`
    : sql`date_bin(${BINS[interval]}::interval, ${at}, timestamptz '1970-01-05 00:00:00+00')`

const BINS = { PT1H: '1 hour', P1D: '1 day', P1W: '7 days' } as const
