import { seriesOf, withActivity } from '~/store/activity.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { bestRates, bestsWith, kept, withLast } from './rollup-parts.ts'

type Hours = { readonly corridorId: number; readonly hoursMs: readonly number[] }

/**
 * Counts the roll-ups of hours again while holding their rows. It counts in a statement after the
 * one that locks, and so sees everything committed before; a session that records into these hours
 * waits and then adds to corrected numbers.
 */
export async function recount(
  sql: Sql,
  tx: TransactionSql,
  { corridorId, hoursMs }: Hours,
): Promise<void> {
  const bests = bestsWith(sql, sql`rollups`)
  const observations = sql`observations where corridor_id = ${corridorId}
    and effective_from >= asked.hour and effective_from < asked.hour + interval '1 hour'`
  const hours = arrayLiteral(hoursMs.toSorted((a, b) => a - b).map(instantText))
  await tx`
    insert into rollups (corridor_id, hour, best_rate, samples)
    select ${corridorId}, hour, null, 0 from unnest(${hours}::timestamptz[]) hour order by hour
    on conflict do nothing`
  await tx`
    select from rollups where corridor_id = ${corridorId} and hour = any(${hours}::timestamptz[])
    order by hour for update`
  await tx`
    update rollups set best_rate = ${bests.best}, counted_best = ${kept(sql, bests)},
      samples = rollups.pruned + coalesce(seen.samples, 0),
      changed_at = greatest(rollups.changed_at, now(), seen.newest)
    from unnest(${hours}::timestamptz[]) asked (hour)
    left join lateral (
      select ${bestRates(sql, sql`applies`)}, count(*)::int as samples,
        max(recorded_at) as newest
      from ${withActivity(sql, withLast(sql, observations), seriesOf(sql, corridorId))}
    ) seen on true
    where rollups.corridor_id = ${corridorId} and rollups.hour = asked.hour`
  await tx`
    delete from rollups
    where corridor_id = ${corridorId} and hour = any(${hours}::timestamptz[]) and samples = 0`
}
