import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '~/store/database.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

/** A moment as the coordinate of a point, whatever the session's time zone. */
const coordinate = (sql: Sql, moment: Part) =>
  sql`(extract(epoch from ${moment} at time zone 'UTC') * 1000)::float8`

/** The columns of observations from which a quote is made. */
export const pricedColumns = (sql: Sql) => sql`
  id, effective_from, provider_corridor_id, rate_type, rate, fee, fee_currency, evidence, offer_id,
  fee_percent, delivery_min, delivery_max, valid_until`

/** A stretch of a corridor's time as a line in a plane of corridors and moments. */
const line = (sql: Sql, { corridorId, from, until }: { [name: string]: Part }) => sql`
  box(point(${corridorId!}::float8, ${coordinate(sql, from!)}),
    point(${corridorId!}::float8, ${coordinate(sql, until!)}))`

type StandingPart = {
  readonly corridorId: Part
  /** A moment from which on they hold. */
  readonly since: Part
  /** They took effect earlier. */
  readonly before: Part
}

/**
 * The observations of a corridor that run out and hold at `since` or later, if nothing more is
 * said: of each offer the newest one, and each older one that is valid for longer than all newer
 * ones.
 *
 * One search in the index of all that run out, by the time that they hold, reads those that hold at
 * one moment and none of the history before or after it. As `pricedColumns`.
 *
 * Without the time zone the server might walk another index whole for the sake of `before`, which
 * it takes for as good.
 */
export const standingEnding = (sql: Sql, { corridorId, since, before }: StandingPart) => sql`
  select ${pricedColumns(sql)} from (
    select ${pricedColumns(sql)}, max(valid_until) over (
      partition by provider_corridor_id, offer_id order by effective_from desc, id desc
      rows between unbounded preceding and 1 preceding
    ) as newer_until
    from observations
    where valid_until is not null
      and effective_from at time zone 'UTC' < ${before} at time zone 'UTC'
      and ${line(sql, {
        corridorId: sql`observations.corridor_id`,
        from: sql`observations.effective_from`,
        until: sql`observations.valid_until`,
      })} && ${line(sql, { corridorId, from: since, until: sql`greatest(${since}, ${before})` })}
  ) ending
  where newer_until is null or newer_until < valid_until`
