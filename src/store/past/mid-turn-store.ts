import type { PendingQuery, Row } from 'postgres'
import type { Window } from '~/domain/period.ts'
import type { Interval } from '~/domain/series.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { bucketOf } from './bucket-parts.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

export const createMidTurnStore = (database: Database) => ({
  async midTurns(ask: TurnsAsk) {
    const rows = await midTurnRows(database, ask)
    return rows.map((row) => ({
      startMs: Number(row.start_ms),
      firstMs: Number(row.first_ms),
      ...{ open: Number(row.open), high: Number(row.high) },
      ...{ low: Number(row.low), close: Number(row.close) },
    }))
  },
})

type TurnsAsk = Window & {
  readonly interval: Interval
  readonly from: string | null
  readonly to: string | null
}

type TurnsRow = Readonly<
  Record<'start_ms' | 'first_ms' | 'open' | 'high' | 'low' | 'close', string | number>
>

/**
 * The worth of a dollar in one currency divided by that in another, whenever either was said, by
 * buckets. What is said at one moment counts together.
 */
function midTurnRows({ sql }: Database, { interval, fromMs, beforeMs, ...pair }: TurnsAsk) {
  const from = sql`${instantText(fromMs)}::timestamptz`
  const said = (currency: string) => sql`
    select id, fetched_at as at, per_usd::float8 as value,
      row_number() over (order by fetched_at, id) as nth
    from (
      (select id, fetched_at, per_usd from reference_rates
       where currency = ${currency} and fetched_at < ${from}
       order by fetched_at desc, id desc limit 1)
      union all
      (select id, fetched_at, per_usd from reference_rates
       where currency = ${currency} and fetched_at >= ${from}
         and fetched_at < ${instantText(beforeMs)}::timestamptz)
    ) leg`
  const one = (currency: string, mid: Part) => sql`
    select distinct on (at) at, ${mid} as mid from (${said(currency)}) leg
    order by at, id desc`
  const both = (source: string, target: string) => sql`
    with source as materialized (${said(source)}), target as materialized (${said(target)}),
    turns as (
      select distinct on (at) at,
        count(*) filter (where not is_target) over earlier as of_source,
        count(*) filter (where is_target) over earlier as of_target
      from (
        select id, at, false as is_target from source union all select id, at, true from target
      ) said
      window earlier as (order by at, id)
      order by at, id desc
    )
    select turns.at, target.value / source.value as mid from turns
    join source on source.nth = of_source join target on target.nth = of_target`
  const mids =
    pair.from === null
      ? one(pair.to!, sql`value`)
      : pair.to === null
        ? one(pair.from, sql`1 / value`)
        : both(pair.from, pair.to)
  return sql<TurnsRow[]>`
    select extract(epoch from ${bucketOf(sql, interval, sql`at`)}) * 1000 as start_ms,
      extract(epoch from min(at)) * 1000 as first_ms, max(mid) as high, min(mid) as low,
      (array_agg(mid order by at))[1] as open, (array_agg(mid order by at desc))[1] as close
    from (${mids}) path
    group by 1 order by 1`
}
