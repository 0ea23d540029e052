import type { PendingQuery, Row } from 'postgres'
import { seriesOf } from '~/store/activity.ts'
import type { Place } from '~/store/corridor-ids.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { kept, rolledUp, withLast } from '~/store/past/rollup-parts.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

/** Whole hours, from one on and before another. */
type Hours = { readonly from: Part; readonly before: Part }

/**
 * The roll-ups of a corridor's hours, to be written after FROM: as stored, or for a handle of an
 * earlier time as they were then.
 *
 * Stored roll-ups are of now. An hour that changed after that time, by a late row or a withdrawal,
 * is counted again from the observations that were known.
 */
export function rollupsIn(database: Database, { corridorId }: Place, hours: Hours): Part {
  const { sql, knownMs } = database
  if (knownMs === undefined) return sql`rollups`
  const known = sql`${instantText(knownMs)}::timestamptz`
  const within = (time: Part) => sql`
    corridor_id = ${corridorId} and ${time} >= ${hours.from} and ${time} < ${hours.before}`
  const isLateOne = sql`(select exists (
    select from late_commits where known_at > ${known} and said_at <= ${known}))`
  const changed = sql`(
    select hour from rollups
    where ${within(sql`hour`)} and (changed_at > ${known} or ${isLateOne})
    union
    select date_bin(interval '1 hour', effective_from, 'epoch') from public.withdrawals
    where ${within(sql`effective_from`)} and withdrawn_at > ${known}
  )`
  const observed = sql`(
    select o.* from ${changed} changed cross join lateral (
      select * from observations
      where corridor_id = ${corridorId} and effective_from >= changed.hour
        and effective_from < changed.hour + interval '1 hour'
    ) o
  ) o`
  const again = rolledUp(sql, withLast(sql, observed), seriesOf(sql, corridorId), sql`applies`)
  return sql`(
    select corridor_id, hour, best_rate, counted_best, samples, pruned from rollups
    where ${within(sql`hour`)} and changed_at <= ${known} and not ${isLateOne}
      and hour not in (select hour from ${changed} changed)
    union all
    select corridor_id, hour, best_rate,
      ${kept(sql, { best: sql`best_rate`, counted: sql`counted` })}, samples, 0
    from (${again}) again
  ) rollups`
}
