import type { Corridor } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { type Bucket, type BucketsAsk, INTERVAL_MS, type Worth } from '~/domain/series.ts'
import { withActivity } from '~/store/activity.ts'
import { isCorridor, type Place, rowsOf } from '~/store/corridor-ids.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { countedBest, executableKinds, withLast } from './rollup-parts.ts'

export function createSeriesStore(database: Database) {
  return {
    async buckets(ask: BucketsAsk): Promise<Bucket[]> {
      const rows = await rowsOf(database, ask.corridor, (place) =>
        bucketRows(database, { ...ask, ...place }),
      )
      return rows.map((row) => ({
        startMs: Number(row.start_ms),
        best: row.best === null ? null : Number(row.best),
        samples: Number(row.samples),
      }))
    },
    async firstObservedMs(corridor: Corridor) {
      const [row] = await rowsOf(database, corridor, (place) => firstObserved(database, place))
      return row ? Number(row.at_ms) : null
    },
    async worthsBefore(currency: string, momentsMs: readonly number[]) {
      const rows = await worthRows(database, currency, momentsMs)
      const said = new Map(
        rows.map((row) => [
          Number(row.moment) - 1,
          { perUsd: Number(row.per_usd), atMs: Number(row.at_ms) },
        ]),
      )
      return carriedForward(said, momentsMs.length)
    },
  }
}

/**
 * The buckets from roll-ups for whole hours, and from observations for an hour that the window ends
 * within.
 */
export function bucketRows({ sql }: Database, ask: BucketsAsk & Place) {
  const { corridorId, interval, fromMs, beforeMs } = ask
  const wholeMs = Math.max(fromMs, hourStartMs(beforeMs))
  const open = sql`observations
    where corridor_id = ${corridorId}
      and effective_from >= ${instantText(wholeMs)}::timestamptz
      and effective_from < ${instantText(beforeMs)}::timestamptz`
  const openHour = sql`
    union all
    select effective_from,
      case when ${executableKinds(sql)} and applies and was_active then rate end, 1
    from ${withActivity(sql, withLast(sql, open))}`
  const bucket = `${INTERVAL_MS[interval] / 1000} seconds`
  return sql<{ start_ms: string; best: string | null; samples: string }[]>`
    select extract(epoch from date_bin(${bucket}::interval, at, 'epoch')) * 1000 as start_ms,
      max(best) as best, sum(samples) as samples
    from corridors c
    cross join (
      select hour as at, ${countedBest(sql, sql`rollups`)} as best, samples from rollups
      where corridor_id = ${corridorId}
        and hour >= ${instantText(fromMs)}::timestamptz
        and hour < ${instantText(wholeMs)}::timestamptz
      ${wholeMs < beforeMs ? openHour : sql``}
    ) seen
    where ${isCorridor(sql, ask)}
    group by 1`
}

export function firstObserved({ sql }: Database, place: Place) {
  return sql<{ at_ms: string }[]>`
    select extract(epoch from effective_from) * 1000 as at_ms
    from corridors c
    cross join (
      select effective_from from observations
      where corridor_id = ${place.corridorId} order by effective_from, id limit 1
    ) first
    where ${isCorridor(sql, place)}`
}

/**
 * One index probe for each moment, reaching back to the moment before at most: older values are
 * missing, and the caller carries them forward. A probe that may look back further reads a whole
 * page of the index for its one row. The dollar's are fetches of any feed.
 */
export function worthRows({ sql }: Database, currency: string, momentsMs: readonly number[]) {
  const moments = momentsMs.map(instantText)
  const said =
    currency === USD
      ? sql`select fetched_at, 1 as per_usd, id from reference_snapshots where true`
      : sql`select fetched_at, per_usd, id from reference_rates where currency = ${currency}`
  return sql<{ moment: string; per_usd: string; at_ms: string }[]>`
    select moment, r.per_usd, extract(epoch from r.fetched_at) * 1000 as at_ms
    from unnest(
      ${arrayLiteral(['-infinity', ...moments.slice(0, -1)])}::timestamptz[],
      ${arrayLiteral(moments)}::timestamptz[]
    ) with ordinality as moments (since, at, moment)
    cross join lateral (
      ${said} and fetched_at < moments.at and fetched_at >= moments.since
      order by fetched_at desc, id desc limit 1
    ) r`
}

function carriedForward(said: ReadonlyMap<number, Worth>, count: number): (Worth | null)[] {
  let held: Worth | null = null
  return Array.from({ length: count }, (_, i) => {
    held = said.get(i) ?? held
    return held
  })
}
