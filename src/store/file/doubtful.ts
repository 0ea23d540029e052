import type { Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { firstRecorded } from '~/store/known/known-tables.ts'
import { keptFiles } from './kept-files.ts'

/** Rows recorded so shortly before a file was created may not have been committed by then. */
const UNSEEN = '-10 minutes'

/**
 * The periods that ended before a day and whose newest file may differ from the data known by now,
 * because of a later record, withdrawal or correction; the earliest first. Files whose change was
 * checked more than a week ago are left out, as are those of which observations were deleted since.
 *
 * Roll-ups from before the time of change was stored all have that of the upgrade, the least there
 * is.
 */
export async function doubtfulPeriods(sql: Sql, day: string, filesMax: number): Promise<string[]> {
  const firstMs = await firstRecorded(sql)
  const first = firstMs === null ? 'infinity' : instantText(firstMs)
  const rows = await sql<{ period: string }[]>`
    with changed_days as (
      select (hour at time zone 'UTC')::date as day, max(changed_at) as at from rollups
      where changed_at > (select min(changed_at) from rollups) group by 1
      union all
      select (effective_from at time zone 'UTC')::date, max(withdrawn_at) from withdrawals
      group by 1
      union all
      select (fetched_at at time zone 'UTC')::date, max(recorded_at) from reference_snapshots
      group by 1
    ), changed as (
      select day::text as period, at from changed_days
      union all
      select left(day::text, 7), max(at) from changed_days group by 1
    ), files as (
      select period, max(edition) as editions, min(made_at) as first_made_at,
        max(made_at) as made_at,
        rpad(period, 10, '-01')::date::timestamp at time zone 'UTC' as begun_at,
        (rpad(period, 10, '-01')::date + case length(period) when 7 then interval '1 month'
          else interval '1 day' end) at time zone 'UTC' as ended_at
      from (select period, edition, made_at from ${keptFiles(sql)} kept) kept group by period
    ), deleted as (
      select coalesce(max(before), '-infinity') as before from prunings where observations > 0
    )
    select distinct f.period, f.begun_at from changed join files f on f.period = changed.period
    where f.ended_at <= ${day}::date::timestamp at time zone 'UTC'
      and changed.at > ${UNSEEN}::interval + case
        when f.editions > 1 then f.made_at
        when f.ended_at + interval '1 hour' < ${first}::timestamptz then f.first_made_at
        else f.ended_at + interval '1 hour' end
      and greatest(changed.at, f.first_made_at) > coalesce((
        select first_made_at from files
        where length(period) = 10 and period::date <= ${day}::date - 7
        order by period desc limit 1
      ), '-infinity')
      and case length(f.period) when 7 then f.begun_at >= (select before from deleted)
        else f.ended_at > (select before from deleted) end
    order by f.begun_at, f.period limit ${filesMax}`
  return rows.map((row) => row.period)
}
