import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import { seriesOf } from '~/store/activity.ts'
import { type Archive, archivedMonths } from '~/store/archive/archived.ts'
import { archivedTables, RATED } from '~/store/archive/rows.ts'
import { unarchiveMonths } from '~/store/archive/unarchive.ts'
import type { Database } from '~/store/database.ts'
import { boundText } from '~/store/encoding.ts'
import { announced } from '~/store/notification-channel.ts'
import { recount } from './recount.ts'
import { bestsWith, countedBest, rolledUp, withLast } from './rollup-parts.ts'

/**
 * The roll-up of one corridor and hour as stored, or as it should be. `counted` is the best rate
 * among providers that were active at the time; null without one.
 */
type Rollup = {
  readonly best: string | null
  readonly counted: string | null
  readonly samples: number
}

export function createRollupStore(database: Database) {
  const { sql } = database
  return {
    corridors: () =>
      sql<StoredCorridor[]>`
        select id, source as "from", target as "to" from corridors order by id`.then((rows) => [
        ...rows,
      ]),
    /**
     * Each hour comes with its roll-up as stored and as observed; null for a missing row. If some
     * of an hour's prices are deleted only the count can be checked: the rest may have been
     * replaced by deleted ones.
     */
    async differences(corridor: StoredCorridor, window: Window) {
      const rows = await differenceRows(
        database,
        { ...corridor, archive: await archivedMonths(sql) },
        window,
      )
      return [...rows]
    },
    repair: (corridor: StoredCorridor, hoursMs: readonly number[]) =>
      repair(database, corridor, hoursMs),
  }
}

type Difference = {
  readonly hourMs: number
  readonly kept: Rollup | null
  readonly observed: Rollup | null
}

type Archived = StoredCorridor & { readonly archive?: Archive }

export function differenceRows(
  database: Database,
  { id, archive }: Archived,
  { fromMs, beforeMs }: Window,
) {
  const { sql } = database
  const place = { corridorId: id, ...(archive && { archive }) }
  const archived = archivedTables(database, place, { fromMs, beforeMs, columns: RATED })
  const from = boundText(fromMs)
  const before = boundText(beforeMs)
  const observations = sql`observations
    where corridor_id = ${id} and effective_from >= ${from}::timestamptz
      and effective_from < ${before}::timestamptz`
  const { best, counted } = bestsWith(sql, sql`kept`)
  const rollup = (of: 'kept' | 'seen') => sql`
    case when ${sql(`${of}_samples`)} is not null then json_build_object(
      'best', ${sql(`${of}_best`)}::text, 'counted', ${sql(`${of}_counted`)}::text,
      'samples', ${sql(`${of}_samples`)}) end`
  return sql<Difference[]>`
    ${archived ? sql`with ${archived}` : sql``}
    select "hourMs", ${rollup('kept')} as kept, ${rollup('seen')} as observed from (
      select (extract(epoch from hour) * 1000)::float8 as "hourMs",
        kept.best_rate as kept_best, ${countedBest(sql, sql`kept`)} as kept_counted,
        kept.samples as kept_samples, ${best} as seen_best, ${counted} as seen_counted,
        nullif(coalesce(kept.pruned, 0) + coalesce(seen.samples, 0), 0) as seen_samples,
        coalesce(kept.pruned, 0) > 0 as is_pruned
      from (${rolledUp(sql, withLast(sql, observations), seriesOf(sql, id), sql`applies`)}) seen
      full join (
        select * from rollups
        where corridor_id = ${id} and hour >= ${from}::timestamptz and hour < ${before}::timestamptz
      ) kept using (hour)
    ) hours
    where kept_samples is distinct from seen_samples
      or (not is_pruned and (kept_best, kept_counted) is distinct from (seen_best, seen_counted))
    order by "hourMs"`
}

/** Counts hours again, and makes all processes reload the past. */
async function repair(
  database: Database,
  { id: corridorId }: StoredCorridor,
  hoursMs: readonly number[],
): Promise<void> {
  if (hoursMs.length === 0) return
  const { sql } = database
  await sql.begin(async (tx) => {
    await unarchiveMonths(tx, corridorId, hoursMs)
    await recount(sql, tx, { corridorId, hoursMs })
    await tx`select ${announced(database, { kind: 'observations', position: null })}`
  })
}
