import { isExecutable, RATE_TYPES } from '~/domain/provider.ts'
import { withActivity } from '~/store/activity.ts'
import type { Part, Sql } from '~/store/database.ts'

/** Reports whether an observation's `rate_type` is one that money can be moved at. */
export const executableKinds = (sql: Sql) => sql`rate_type in (${sql.unsafe(EXECUTABLE_KINDS)})`

const EXECUTABLE_KINDS = RATE_TYPES.filter(isExecutable)
  .map((kind) => `'${kind}'`)
  .join()

/** The hour of an observation, whatever the session's time zone. */
const hourOf = (sql: Sql) => sql`date_bin(interval '1 hour', effective_from, 'epoch')`

/** The roll-ups of `observations` (any relation with their columns), one row an hour. */
export const rolledUp = (sql: Sql, observations: Part, series?: Part, applies?: Part) => sql`
  select corridor_id, ${hourOf(sql)} as hour, ${bestRates(sql, applies)}, count(*)::int as samples
  from ${withActivity(sql, observations, series)}
  group by 1, 2`

/**
 * `observations` (any relation with their columns) with `applies`: whether none of the same offer
 * and time was recorded after each. It is written after FROM.
 */
export const withLast = (sql: Sql, observations: Part) => sql`(
  select *, lead(id) over (
    partition by corridor_id, provider_corridor_id, offer_id, effective_from order by id
  ) is null as applies from ${observations}
) placed`

/** The best rate of all providers, and that of the active ones, among rows that apply. */
export const bestRates = (sql: Sql, applies: Part = sql`true`) => sql`
  max(rate) filter (where ${executableKinds(sql)} and ${applies}) as best_rate,
  max(rate) filter (where ${executableKinds(sql)} and ${applies} and was_active) as counted`

/** The value of `counted_best` for an hour. */
export const kept = (sql: Sql, { best, counted }: { best: Part; counted: Part }) =>
  sql`case when ${counted} is distinct from ${best} then coalesce(${counted}, 0) end`

/** The best rate that counts in the roll-up `of`; null without one. */
export const countedBest = (sql: Sql, of: Part) =>
  sql`nullif(coalesce(${of}.counted_best, ${of}.best_rate), 0)`

/**
 * The statement, or a part of one, that adds observations to the roll-ups.
 *
 * Every process locks the rows in one order, by hour and corridor, which rules out deadlocks;
 * the present hour, the one most in demand, comes last.
 */
export const addToRollups = (sql: Sql, observations: Part, at: Part = sql`now()`) => sql`
  insert into rollups (corridor_id, hour, best_rate, counted_best, samples, changed_at)
  ${rollupRows(sql, { observations, at })} ${addingTo(sql)}`

type Added = {
  readonly observations: Part
  /** The time that the observations bear. */
  readonly at: Part
  readonly series?: Part
}

/** The roll-ups of observations as stored, in the order in which they are locked. */
export const rollupRows = (sql: Sql, { observations, at, series }: Added) => sql`
  select corridor_id, hour, best_rate,
    ${kept(sql, { best: sql`best_rate`, counted: sql`counted` })} as counted_best, samples,
    greatest(now(), ${at}) as changed_at
  from (${rolledUp(sql, observations, series)}) seen
  order by 2, 1`

/** The end of a statement that inserts roll-ups: adds them to those that are there. */
export function addingTo(sql: Sql) {
  const [old, added] = [sql`rollups`, sql`excluded`]
  const best = sql`greatest(rollups.best_rate, excluded.best_rate)`
  const counted = sql`greatest(${countedBest(sql, old)}, ${countedBest(sql, added)})`
  return sql`
    on conflict (corridor_id, hour) do update set best_rate = ${best},
      counted_best = ${kept(sql, { best, counted })},
      samples = rollups.samples + excluded.samples,
      changed_at = greatest(rollups.changed_at, excluded.changed_at)`
}

/** The best rates of an hour; for a pruned hour, those retained before its rows were deleted. */
export function bestsWith(sql: Sql, of: Part) {
  const isPruned = sql`${of}.pruned > 0`
  return {
    best: sql`case when ${isPruned} then greatest(${of}.best_rate, seen.best_rate)
      else seen.best_rate end`,
    counted: sql`case when ${isPruned} then greatest(${countedBest(sql, of)}, seen.counted)
      else seen.counted end`,
  }
}
