import { DAY_MS } from '~/domain/duration.ts'
import { type CorridorSending, type Sending, SILENCE } from '~/domain/feed/silence.ts'
import type { SendingDay } from '~/domain/feed/week.ts'
import type { Database, Sql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { onShard, type Shard } from '~/store/distributed/shard.ts'
import { instantText } from '~/store/encoding.ts'

/** The maximum number of a provider's series, the latest ones, that show how regularly it sends. */
const SERIES_MAX = 32
/** The maximum number of observations of each series that are read, whatever their age. */
const SERIES_ROWS_MAX = 16
/** The maximum number of a provider's latest sendings that are used. */
const SENDINGS_MAX = 30
/** The fewest intervals that make a regular habit. */
const INTERVALS_MIN = 3
/** Days in which the week of a provider is looked for, in its latest series. */
const WEEK_DAYS = 35
const WEEK_SERIES_MAX = 4
/** The maximum number of a provider's silent corridors that are named, the latest ones. */
const NAMED_MAX = 20

/** The habits of providers and of their corridors, from the times of their observations. */
export const createSendingStore = (database: Database) => ({
  async all(nowMs: number): Promise<Sending[]> {
    const shard = { isDistributed: await isDistributed(database.sql) }
    const rows = await sendingRows(database, nowMs, shard)
    return rows.map(({ newestMs, intervalMs, lastSilent, days, ...row }) => ({
      ...row,
      days: days ?? [],
      newestMs: Number(newestMs),
      usualIntervalMs: intervalMs === null ? null : Number(intervalMs),
      lastSilent: lastSilent ?? [],
    }))
  },
})

/**
 * One index probe for each series, so the cost does not depend on the length of the history.
 * Observations within one minute count as one sending.
 */
export const sendingRows = (database: Database, nowMs: number, shard: Shard) => database.sql<Row[]>`
    with series as (
      select p.id, p.provider_id, p.corridor_id, o.newest, o.minutes,
        row_number() over (partition by p.provider_id order by o.newest desc) as place
      from provider_corridors p
      cross join lateral (
        select max(at) as newest, array_agg(distinct date_trunc('minute', at)) as minutes
        from (
          select effective_from as at from observations
          where provider_corridor_id = p.id ${onShard(database.sql, shard)}
            and effective_from <= ${instantText(nowMs)}
          order by effective_from desc, id desc limit ${SERIES_ROWS_MAX}
        ) latest
      ) o
      where o.newest is not null
    ), habits as (
      select series.*, extract(epoch from newest) * 1000 as newest_ms,
        case when intervals >= ${INTERVALS_MIN} then seconds * 1000 end as interval_ms
      from series
      cross join lateral (
        select count(gap) as intervals, percentile_cont(0.5) within group (order by gap) as seconds
        from (
          select extract(epoch from minute - lag(minute) over (order by minute)) as gap
          from unnest(minutes) as minute
        ) gaps
      ) habit
    ), ${weeks(database, nowMs, shard)}, ${silences(database, nowMs)},
    ${regularity(database)}
    select provider_id as "providerId", extract(epoch from newest) * 1000 as "newestMs",
      case when intervals >= ${INTERVALS_MIN} then seconds * 1000 end as "intervalMs",
      corridors, fresh as "freshCorridors",
      coalesce(silences.count, 0) as "silentCorridors", silences.named as "lastSilent",
      weeks.days, coalesce(weeks.off_days, 0) as "offDays"
    from (
      select provider_id, max(newest) as newest, count(*)::int as corridors,
        count(*) filter (
          where newest > ${instantText(nowMs)}::timestamptz - interval '24 hours'
        )::int as fresh
      from series group by provider_id
    ) received join regularity using (provider_id) left join silences using (provider_id)
    left join weeks using (provider_id)
    order by provider_id`

/**
 * The first and the last sending of each day of the last weeks, and on how many weekdays there was
 * none, in parts of a `with`.
 */
const weeks = ({ sql }: Database, nowMs: number, shard: Shard) => sql`
    days as (
      select p.provider_id, said.day, min(said.first) as first, max(said.last) as last
      from provider_corridors p
      cross join lateral (
        ${shard.isDistributed ? daysRead(sql, nowMs) : daysProbed(sql, nowMs)}
      ) said
      where p.id in (select id from series where place <= ${WEEK_SERIES_MAX})
      group by p.provider_id, said.day
    ), weeks as (
      select provider_id,
        jsonb_agg(jsonb_build_array(
          extract(epoch from first) * 1000, extract(epoch from last) * 1000) order by day) as days,
        case when max(day) - min(day) >= interval '13 days'
          then 7 - count(distinct extract(isodow from day)) else 0 end::int as off_days
      from days group by provider_id
    )`

/** The days of a series `p` by two index probes each. */
const daysProbed = (sql: Sql, nowMs: number) => {
  const edge = (order: 'asc' | 'desc') => sql`
    select effective_from as at from observations
    where provider_corridor_id = p.id
      and effective_from >= day and effective_from < day + interval '1 day'
      and effective_from <= ${instantText(nowMs)}
    order by effective_from ${order === 'asc' ? sql`` : sql`desc`} limit 1`
  return sql`
    select day, first.at as first, last.at as last
    from generate_series(${firstDay(sql, nowMs)}, ${instantText(nowMs)}::timestamptz,
      interval '1 day') as day
    cross join lateral (${edge('asc')}) first
    cross join lateral (${edge('desc')}) last`
}

/** The days of a series `p` from all its rows, as Citus sends no probes of days to its workers. */
const daysRead = (sql: Sql, nowMs: number) => sql`
    select date_trunc('day', effective_from, 'UTC') as day,
      min(effective_from) as first, max(effective_from) as last
    from observations
    where provider_corridor_id = p.id ${onShard(sql, { isDistributed: true })}
      and effective_from >= ${firstDay(sql, nowMs)}
      and effective_from <= ${instantText(nowMs)}::timestamptz
    group by 1`

const firstDay = (sql: Sql, nowMs: number) => sql`
  (date_trunc('day', ${instantText(nowMs)}::timestamptz, 'UTC')
    - make_interval(days => ${WEEK_DAYS}))`

/** The silent series of each provider, of those in `habits`, in parts of a `with`. */
const silences = ({ sql }: Database, nowMs: number) => sql`
    silent as (
      select h.provider_id, newest_ms, interval_ms, c.source, c.target,
        coalesce(w.off_days, 0) as off_days,
        row_number() over (partition by h.provider_id order by newest_ms desc) as place
      from habits h
      left join weeks w on w.provider_id = h.provider_id
      join corridors c on c.id = h.corridor_id
      join currencies a on a.code = c.source and a.is_active
      join currencies b on b.code = c.target and b.is_active
      where interval_ms is not null
        and ${nowMs}::float8 > newest_ms
          + greatest(${SILENCE.intervalsMax} * interval_ms, ${SILENCE.msMin})
          + coalesce(w.off_days, 0) * ${DAY_MS}::float8
        and ${nowMs}::float8 <= newest_ms
          + greatest(${SILENCE.ended.intervals} * interval_ms, ${SILENCE.ended.ms})
    ), silences as (
      select provider_id, count(*)::int as count,
        jsonb_agg(jsonb_build_object('from', source, 'to', target, 'newestMs', newest_ms,
          'usualIntervalMs', interval_ms, 'offDays', off_days) order by place)
          filter (where place <= ${NAMED_MAX}) as named
      from silent group by provider_id
    )`

/** The habit of each provider, from its latest series, in parts of a `with`. */
const regularity = ({ sql }: Database) => sql`
    minutes as (
      select distinct provider_id, minute from series cross join unnest(minutes) as minute
      where place <= ${SERIES_MAX}
    ), sendings as (
      select provider_id, minute,
        row_number() over (partition by provider_id order by minute desc) as place,
        lag(minute) over (partition by provider_id order by minute) as before
      from minutes
    ), regularity as (
      select provider_id, count(before)::int as intervals,
        percentile_cont(0.5) within group (
          order by extract(epoch from minute - before)
        ) as seconds
      from sendings where place <= ${SENDINGS_MAX} group by provider_id
    )`

type Row = Pick<Sending, 'providerId' | 'corridors' | 'freshCorridors' | 'silentCorridors'> & {
  readonly newestMs: string
  readonly intervalMs: string | number | null
  readonly lastSilent: CorridorSending[] | null
  readonly days: SendingDay[] | null
  readonly offDays: number
}
