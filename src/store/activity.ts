import type { Part, Sql } from './database.ts'

/**
 * `observations` (any relation with their columns) with `was_active`: whether the provider of each
 * was active when it took effect, by the rule of `domain/activity.ts`. It is written after FROM.
 * `series` has `id`, `corridor_id` and `provider_id` of their series: those of a corridor where the
 * observations are, as Citus finds the shard of a table by a constant corridor alone.
 */
export const withActivity = (
  sql: Sql,
  observations: Part,
  series: Part = sql`provider_corridors`,
) => sql`(
  select o.*, coalesce((
    select not next.is_active from provider_activity next
    where next.provider_id = p.id and next.since > o.effective_from
    order by next.since, next.id limit 1
  ), p.is_active) as was_active
  from (select * from ${observations}) o
  join (select * from ${series}) s
    on s.id = o.provider_corridor_id and s.corridor_id = o.corridor_id
  join providers p on p.id = s.provider_id
) evaluated`

/** The series of a corridor, to be written after FROM. */
export const seriesOf = (sql: Sql, corridorId: number) =>
  sql`provider_corridors where corridor_id = ${corridorId}`
