import type { Sending } from '~/domain/feed/silence.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'

/** How many series of a provider are used to tell how regularly it sends, the latest ones. */
const SERIES_MAX = 32
/** How many observations of each series are read, whatever their age. */
const SERIES_ROWS_MAX = 16
/** How many of a provider's latest sendings are used. */
const SENDINGS_MAX = 30
/** The fewest intervals that make a regular habit. */
const INTERVALS_MIN = 3

/**
 * One index probe for each series, so the length of the history does not matter. Observations
 * within one minute count as one sending.
 */
export function createSendingStore({ sql }: Database) {
  return {
    async all(nowMs: number): Promise<Sending[]> {
      const rows = await sql<Row[]>`
        with series as (
          select s.id, s.provider_id, o.at,
            row_number() over (partition by s.provider_id order by o.at desc) as place
          from provider_corridors s
          cross join lateral (
            select effective_from as at from observations
            where provider_corridor_id = s.id and effective_from <= ${instantText(nowMs)}
            order by effective_from desc, id desc limit 1
          ) o
        ), minutes as (
          select distinct s.provider_id, date_trunc('minute', o.at) as minute
          from series s
          cross join lateral (
            select effective_from as at from observations
            where provider_corridor_id = s.id and effective_from <= ${instantText(nowMs)}
            order by effective_from desc, id desc limit ${SERIES_ROWS_MAX}
          ) o
          where s.place <= ${SERIES_MAX}
        ), sendings as (
          select provider_id, minute,
            row_number() over (partition by provider_id order by minute desc) as place,
            lag(minute) over (partition by provider_id order by minute) as before
          from minutes
        ), habits as (
          select provider_id, count(before)::int as intervals,
            percentile_cont(0.5) within group (
              order by extract(epoch from minute - before)
            ) as seconds
          from sendings where place <= ${SENDINGS_MAX} group by provider_id
        )
        select provider_id as "providerId", extract(epoch from max(at)) * 1000 as "newestMs",
          case when intervals >= ${INTERVALS_MIN} then seconds * 1000 end as "intervalMs",
          count(*)::int as corridors,
          count(*) filter (
            where at > ${instantText(nowMs)}::timestamptz - interval '24 hours'
          )::int as "freshCorridors"
        from series join habits using (provider_id)
        group by provider_id, intervals, seconds order by provider_id`
      return rows.map(({ newestMs, intervalMs, ...row }) => ({
        ...row,
        newestMs: Number(newestMs),
        usualIntervalMs: intervalMs === null ? null : Number(intervalMs),
      }))
    },
  }
}

type Row = Pick<Sending, 'providerId' | 'corridors' | 'freshCorridors'> & {
  readonly newestMs: string
  readonly intervalMs: string | number | null
}
