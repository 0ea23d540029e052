import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import { seriesOf } from '~/store/activity.ts'
import { inBlocksOf } from '~/store/archive/rows.ts'
import { isCorridor, type Place, rowsOf } from '~/store/corridor-ids.ts'
import type { Database, Part } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { kept, rolledUp, withLast } from '~/store/past/rollup-parts.ts'

type Hours = { readonly from: Part; readonly before: Part }

type Of = Pick<Place, 'corridorId'> & {
  /** Says whether the statement has `archivedTables` of all of these hours. */
  readonly isArchived?: boolean
}

/**
 * The roll-ups of a corridor's hours, to be written after FROM: as stored, or for a handle of an
 * earlier time as they were then.
 *
 * Stored roll-ups are of now. An hour that changed after that time, by a late row or a withdrawal,
 * is counted again from the observations that were known: each by a search of its own, which reads
 * no other hour.
 */
export function rollupsIn(
  database: Database,
  { corridorId, isArchived = false }: Of,
  hours: Hours,
): Part {
  const { sql, knownMs } = database
  if (knownMs === undefined) return sql`rollups`
  const { known, within, isLateOne, changed } = changedIn(database, { corridorId, hours })
  const end = sql`changed.hour + interval '1 hour'`
  const observed = sql`(
    select o.* from ${changed} changed cross join lateral (
      select * from observations
      where ${within(sql`effective_from`)} and effective_from >= changed.hour
        and effective_from < ${end}
        ${isArchived ? inBlocksOf(sql, sql`changed.hour`, end) : sql``}
      offset 0
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

type Asked = Pick<Place, 'corridorId'> & { readonly hours: Hours }

/**
 * The hours that changed after the time of a handle. No price takes effect after its recording, so
 * hours more than a day later have none that was known; the day is for clocks that differ.
 */
function changedIn({ sql, knownMs }: Database, { corridorId, hours }: Asked) {
  const known = sql`${instantText(knownMs!)}::timestamptz`
  const within = (time: Part) => sql`
    corridor_id = ${corridorId} and ${time} >= ${hours.from}
    and ${time} < least(${hours.before}, ${known} + interval '1 day')`
  const isLateOne = sql`(select exists (
    select from late_commits where known_at > ${known} and said_at <= ${known}))`
  const changed = sql`(
    select hour from rollups
    where ${within(sql`hour`)} and (changed_at > ${known} or ${isLateOne})
    union
    select date_bin(interval '1 hour', effective_from, 'epoch') from public.withdrawals
    where ${within(sql`effective_from`)} and withdrawn_at > ${known}
  )`
  return { known, within, isLateOne, changed }
}

/** Reports whether an hour in a window changed after the time of a handle and was pruned by now. */
export async function isCountLost(
  database: Database,
  { corridor, fromMs, beforeMs }: Window & { readonly corridor: Corridor },
): Promise<boolean> {
  const { sql } = database
  const hours = {
    from: sql`${instantText(fromMs)}::timestamptz`,
    before: sql`${instantText(beforeMs)}::timestamptz`,
  }
  const rows = await rowsOf(database, corridor, (place) => {
    const { within, changed } = changedIn(database, { ...place, hours })
    return sql<{ is_lost: boolean }[]>`
      select exists (
        select from rollups
        where ${within(sql`hour`)} and pruned > 0 and hour in (select hour from ${changed} changed)
      ) as is_lost from corridors c where ${isCorridor(sql, place)}`
  })
  return rows[0]?.is_lost ?? false
}
