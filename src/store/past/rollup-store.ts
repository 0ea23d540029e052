import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import { seriesOf } from '~/store/activity.ts'
import { type Archive, archivedMonths } from '~/store/archive/archived.ts'
import { archivedTables, RATED } from '~/store/archive/rows.ts'
import { unarchiveMonths } from '~/store/archive/unarchive.ts'
import type { Database } from '~/store/database.ts'
import { boundText } from '~/store/encoding.ts'
import { announced } from '~/store/news-channel.ts'
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
      return rows.map((row) => ({
        hourMs: Number(row.hour_ms),
        kept: rollupOf([row.kept_best, row.kept_counted], row.kept_samples),
        observed: rollupOf([row.seen_best, row.seen_counted], row.seen_samples),
      }))
    },
    repair: (corridor: StoredCorridor, hoursMs: readonly number[]) =>
      repair(database, corridor, hoursMs),
  }
}

type DifferenceRow = {
  readonly hour_ms: string
  readonly kept_best: string | null
  readonly kept_counted: string | null
  readonly kept_samples: string | null
  readonly seen_best: string | null
  readonly seen_counted: string | null
  readonly seen_samples: string | null
}

const rollupOf = (
  [best, counted]: readonly [string | null, string | null],
  samples: string | null,
): Rollup | null => (samples === null ? null : { best, counted, samples: Number(samples) })

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
  return sql<DifferenceRow[]>`
    ${archived ? sql`with ${archived}` : sql``}
    select * from (
      select extract(epoch from hour) * 1000 as hour_ms,
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
    order by hour_ms`
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
