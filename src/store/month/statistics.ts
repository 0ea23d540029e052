import type { Database } from '~/store/database.ts'

/**
 * Renews the planner's statistics of all observations together, as the server renews those of each
 * part alone; only if their number has changed by a fifth since, unless requested anyway.
 */
export async function renewStatistics(
  { sql }: Pick<Database, 'sql'>,
  { anyway }: { anyway: boolean },
): Promise<boolean> {
  const [rows] = await sql<[{ known: number; now: number }]>`
    select
      (select reltuples from pg_class where oid = 'observations'::regclass) as known,
      (select coalesce(sum(greatest(reltuples, 0)), 0) from pg_class where oid in (
        select inhrelid from pg_inherits where inhparent = 'observations'::regclass
      )) as now`
  const isCurrent = Math.abs(rows.now - Math.max(rows.known, 0)) <= rows.known / 5
  if (!anyway && (isCurrent || rows.now === 0)) return false
  await sql`select analyze_observations()`
  return true
}
