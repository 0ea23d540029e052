import type { PendingQuery, Row } from 'postgres'
import { USD } from '~/domain/currency.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { BestOfDay, TrendWindow, WorthOfDay } from '~/domain/trend.ts'
import { withActivity } from '~/store/activity.ts'
import type { Database, Sql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { countedBest, executableKinds, withLast } from './rollup-parts.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

export function createTrendStore(database: Database) {
  return {
    async bestByDay(window: TrendWindow): Promise<BestOfDay[]> {
      const rows = await bestRows(database, window, await isDistributed(database.sql))
      return rows.map(({ source, target, day, best }) => ({
        from: source,
        to: target,
        day,
        best: Number(best),
      }))
    },
    async worthByDay(currencies: readonly string[], window: TrendWindow): Promise<WorthOfDay[]> {
      const rows = await worthRows(database, currencies, window)
      return rows.map(({ currency, day, per_usd }) => ({
        currency,
        day,
        perUsd: Number(per_usd),
      }))
    },
  }
}

type Span = Pick<TrendWindow, 'fromMs' | 'beforeMs'>

/** The best of each day and corridor, by its id, from the roll-ups and the hour still open. */
const bestsOf = (sql: Sql, { fromMs, beforeMs }: Span, isAsked: Part) => {
  const from = instantText(fromMs)
  const whole = instantText(Math.max(fromMs, hourStartMs(beforeMs)))
  const best = countedBest(sql, sql`rollups`)
  const open = sql`observations
    where ${isAsked} and ${executableKinds(sql)}
      and effective_from >= ${whole}::timestamptz
      and effective_from < ${instantText(beforeMs)}::timestamptz`
  return sql`
    select corridor_id, floor(extract(epoch from at - ${from}::timestamptz) / 86400)::int as day,
      max(rate) as best
    from (
      select corridor_id, hour as at, ${best} as rate from rollups
      where ${isAsked} and ${best} is not null
        and hour >= ${from}::timestamptz and hour < ${whole}::timestamptz
      union all
      select corridor_id, effective_from, rate from ${withActivity(sql, withLast(sql, open))}
      where was_active and applies
    ) seen
    group by 1, 2`
}

type BestRow = { source: string; target: string; day: number; best: string }

/**
 * One range of the roll-ups for each corridor, plus the observations of the hour that is still
 * open. On several servers each finds the days of its own corridors.
 */
export const bestRows = ({ sql }: Database, window: Span, isSpread = false) =>
  sql<BestRow[]>`
    select source, target, day, best from corridors
    ${
      isSpread
        ? sql`join (${bestsOf(sql, window, sql`true`)}) days on corridor_id = corridors.id`
        : sql`cross join lateral (${bestsOf(sql, window, sql`corridor_id = corridors.id`)}) days`
    }`

type WorthRow = { currency: string; day: number; per_usd: string }

/** One index probe for each currency and day; the dollar's are fetches of any feed. */
export function worthRows(
  { sql }: Database,
  currencies: readonly string[],
  { fromMs, beforeMs, days }: TrendWindow,
) {
  const ends = Array.from({ length: days }, (_, day) =>
    instantText(Math.min(fromMs + (day + 1) * DAY_MS, beforeMs)),
  )
  return sql<WorthRow[]>`
    select currency, (nth - 1)::int as day, per_usd
    from unnest(${arrayLiteral(currencies)}::text[]) as asked (currency)
    cross join unnest(${arrayLiteral(ends)}::timestamptz[]) with ordinality as days (ends, nth)
    cross join lateral (
      (select r.per_usd from reference_rates r
      where r.currency = asked.currency and asked.currency <> ${USD} and r.fetched_at < days.ends
      order by r.fetched_at desc, r.id desc limit 1)
      union all
      (select 1 from reference_snapshots s
      where asked.currency = ${USD} and s.fetched_at < days.ends
      order by s.fetched_at desc limit 1)
    ) said`
}
