import type { PendingQuery, Row } from 'postgres'
import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import { isExecutable, RATE_TYPES } from '~/domain/provider.ts'
import type { Database, Sql } from './database.ts'
import { instantText } from './encoding.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'

/** What is kept of one corridor and hour, or what it should be. */
export type Rollup = { readonly best: string | null; readonly samples: number }

/**
 * An hour whose roll-up is not what its observations give, the pruned ones included; null stands
 * for no row.
 */
export type Difference = {
  readonly hourMs: number
  readonly kept: Rollup | null
  readonly observed: Rollup | null
}

export type RollupStore = {
  /** Every corridor there is, by id. */
  corridors(): Promise<StoredCorridor[]>
  /**
   * The hours of a window, whole ones, that are rolled up wrongly, oldest first. Sees one moment:
   * what is being recorded meanwhile is no difference.
   */
  differences(corridor: StoredCorridor, window: Window): Promise<Difference[]>
  /** Makes the roll-ups of these hours right and tells listeners. Right beside ingestion, too. */
  repair(corridor: StoredCorridor, hoursMs: readonly number[]): Promise<void>
}

export function createRollupStore(database: Database): RollupStore {
  const { sql } = database
  return {
    corridors: () =>
      sql<StoredCorridor[]>`
        select id, source as "from", target as "to" from corridors order by id`.then((rows) => [
        ...rows,
      ]),
    async differences(corridor, window) {
      const rows = await differenceRows(database, corridor, window)
      return rows.map((row) => ({
        hourMs: Number(row.hour_ms),
        kept: rollupOf(row.kept_best, row.kept_samples),
        observed: rollupOf(row.seen_best, row.seen_samples),
      }))
    },
    repair: (corridor, hoursMs) => repair(database, corridor, hoursMs),
  }
}

type DifferenceRow = {
  readonly hour_ms: string
  readonly kept_best: string | null
  readonly kept_samples: string | null
  readonly seen_best: string | null
  readonly seen_samples: string | null
}

const rollupOf = (best: string | null, samples: string | null): Rollup | null =>
  samples === null ? null : { best, samples: Number(samples) }

/** Whether an observation's `rate_type` is one that money can be moved at. */
export const executableKinds = (sql: Sql) => sql`rate_type in (${sql.unsafe(EXECUTABLE_KINDS)})`

const EXECUTABLE_KINDS = RATE_TYPES.filter(isExecutable)
  .map((kind) => `'${kind}'`)
  .join()

/** The hour of an observation; it does not follow the session's time zone. */
const hourOf = (sql: Sql) => sql`date_bin(interval '1 hour', effective_from, 'epoch')`

/** What `observations` (any relation with their columns) adds to the roll-ups: one row an hour. */
const rolledUp = (sql: Sql, observations: PendingQuery<Row[]>) => sql`
  select corridor_id, ${hourOf(sql)} as hour,
    max(rate) filter (where ${executableKinds(sql)}) as best_rate, count(*)::int as samples
  from ${observations}
  group by 1, 2`

/**
 * The statement, or a part of one, that adds observations to the roll-ups.
 *
 * Everybody takes the rows in one order, by hour and corridor, so that nobody waits in a circle;
 * the present hour, which most want, comes last.
 */
export const addToRollups = (sql: Sql, observations: PendingQuery<Row[]>) => sql`
  insert into rollups (corridor_id, hour, best_rate, samples)
  ${rolledUp(sql, observations)}
  order by 2, 1
  on conflict (corridor_id, hour) do update set
    best_rate = greatest(rollups.best_rate, excluded.best_rate),
    samples = rollups.samples + excluded.samples`

/** The best rate of an hour: of one that was pruned, what was kept stands for what is gone. */
const bestWith = (sql: Sql, kept: PendingQuery<Row[]>) =>
  sql`case when ${kept}.pruned > 0 then greatest(${kept}.best_rate, seen.best_rate)
    else seen.best_rate end`

export function differenceRows(
  { sql }: Database,
  { id }: StoredCorridor,
  { fromMs, beforeMs }: Window,
) {
  const from = boundText(fromMs)
  const before = boundText(beforeMs)
  const observations = sql`observations
    where corridor_id = ${id} and effective_from >= ${from}::timestamptz
      and effective_from < ${before}::timestamptz`
  return sql<DifferenceRow[]>`
    select * from (
      select extract(epoch from hour) * 1000 as hour_ms,
        kept.best_rate as kept_best, kept.samples as kept_samples,
        ${bestWith(sql, sql`kept`)} as seen_best,
        nullif(coalesce(kept.pruned, 0) + coalesce(seen.samples, 0), 0) as seen_samples
      from (${rolledUp(sql, observations)}) seen
      full join (
        select * from rollups
        where corridor_id = ${id} and hour >= ${from}::timestamptz and hour < ${before}::timestamptz
      ) kept using (hour)
    ) hours
    where kept_samples is distinct from seen_samples or kept_best is distinct from seen_best
    order by hour_ms`
}

const boundText = (ms: number): string =>
  Number.isFinite(ms) ? instantText(ms) : ms < 0 ? '-infinity' : 'infinity'

/**
 * Holding the rows, it counts again in a later statement and so sees everything that was committed
 * before. Who records into one of these hours meanwhile waits and then adds to what is right.
 */
async function repair(
  database: Database,
  { id }: StoredCorridor,
  hoursMs: readonly number[],
): Promise<void> {
  if (hoursMs.length === 0) return
  const hours = `{${hoursMs
    .toSorted((a, b) => a - b)
    .map(instantText)
    .join()}}`
  await database.sql.begin(async (tx) => {
    await tx`
      insert into rollups (corridor_id, hour, best_rate, samples)
      select ${id}, hour, null, 0 from unnest(${hours}::timestamptz[]) hour order by hour
      on conflict do nothing`
    await tx`
      select from rollups where corridor_id = ${id} and hour = any(${hours}::timestamptz[])
      order by hour for update`
    await tx`
      update rollups set best_rate = ${bestWith(database.sql, database.sql`rollups`)},
        samples = rollups.pruned + coalesce(seen.samples, 0)
      from unnest(${hours}::timestamptz[]) asked (hour)
      left join lateral (
        select max(rate) filter (where ${executableKinds(database.sql)}) as best_rate,
          count(*)::int as samples
        from observations where corridor_id = ${id}
          and effective_from >= asked.hour and effective_from < asked.hour + interval '1 hour'
      ) seen on true
      where rollups.corridor_id = ${id} and rollups.hour = asked.hour`
    await tx`
      delete from rollups
      where corridor_id = ${id} and hour = any(${hours}::timestamptz[]) and samples = 0`
    const payload = newsPayload(database, { kind: 'observations' })
    await tx`select pg_notify(${NEWS_CHANNEL}, ${payload})`
  })
}
