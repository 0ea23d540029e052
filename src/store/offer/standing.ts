import type { Standing } from '~/domain/history.ts'
import type { Part, Sql } from '~/store/database.ts'
import { onShard, type Shard } from '~/store/distributed/shard.ts'
import { instantText } from '~/store/encoding.ts'
import { OWN_NAMES } from '~/store/recording/own-columns.ts'
import { LONG_PRICE_MS, longPrices } from './long-prices.ts'
import { TERM_COLUMNS } from './offer-row.ts'

/** Time before a given one in which prices are looked for at first. */
export const NEAR_MS = LONG_PRICE_MS

/** A time as the coordinate of a point, whatever the session's time zone. */
const coordinate = (sql: Sql, moment: Part) =>
  sql`(extract(epoch from ${moment} at time zone 'UTC') * 1000)::float8`

/** The columns of observations from which a quote is computed. */
export const pricedColumns = (sql: Sql) => sql`
  id, recorded_at, provider_corridor_id, offer_id,
  ${sql.unsafe(`${OWN_NAMES}, ${TERM_COLUMNS.join()}`)}`

/** A stretch of a corridor's time as a line in a plane of corridors and times. */
const line = (sql: Sql, { corridorId, from, until }: { [name: string]: Part }) => sql`
  box(point(${corridorId!}::float8, ${coordinate(sql, from!)}),
    point(${corridorId!}::float8, ${coordinate(sql, until!)}))`

type StandingPart = Required<Shard> & {
  /** The time from which they hold. */
  readonly since: Part
  /** They took effect earlier. */
  readonly before: Part
  /** The earliest that `since` is, and the latest that `before` is. */
  readonly bounds: Standing
  /** Says whether it also finds those that took effect more than `NEAR_MS` before `since`. */
  readonly isFar: boolean
}

/**
 * The observations of a corridor that expire and hold at `since` or later, if nothing more is said:
 * of each offer the newest one, and each older one that is valid for longer than all newer ones. As
 * `pricedColumns`.
 *
 * One search in the index of all that expire, by the time that they hold, reads those that hold at
 * one time and none of the history before or after it. It ends at the months in which a price took
 * effect that is not among the long prices.
 */
export function standingEnding(sql: Sql, part: StandingPart) {
  const { since, before, isFar } = part
  return sql`
    select ${pricedColumns(sql)} from (
      select ${pricedColumns(sql)}, max(valid_until) over (
        partition by provider_corridor_id, offer_id order by effective_from desc, id desc
        rows between unbounded preceding and 1 preceding
      ) as newer_until
      from (
        select ${pricedColumns(sql)} from observations
        where valid_until is not null ${onShard(sql, part)}
          and effective_from >= ${nearText(part)}::timestamptz
          and effective_from < ${instantText(part.bounds.beforeMs)}::timestamptz
          and effective_from < ${before}
          and ${heldLine(sql)} && ${line(sql, {
            corridorId: sql`${part.corridorId}`,
            from: since,
            until: sql`greatest(${since}, ${before})`,
          })}
          and ${heldLine(sql)} <@ ${corridorLine(sql, part)}
        ${isFar ? sql`union all ${longOnes(sql, part)}` : sql``}
      ) either
    ) ending
    where newer_until is null or newer_until < valid_until`
}

const nearText = ({ bounds }: Pick<StandingPart, 'bounds'>) => instantText(bounds.sinceMs - NEAR_MS)

/** The time that an observation holds, in the words of the index. */
const heldLine = (sql: Sql) =>
  line(sql, {
    corridorId: sql`observations.corridor_id`,
    from: sql`observations.effective_from`,
    until: sql`observations.valid_until`,
  })

/** All time of a corridor. With it the planner knows how few rows the search finds. */
const corridorLine = (sql: Sql, { corridorId: id }: StandingPart) =>
  sql`box(point(${id}::float8, '-infinity'), point(${id}::float8, 'infinity'))`

const longOnes = (sql: Sql, part: StandingPart) => sql`
  select far.* from ${longPrices(sql, part)} l
  cross join lateral (
    select ${pricedColumns(sql)} from observations
    where id = l.id and corridor_id = ${part.corridorId} and effective_from = l.effective_from
      and effective_from < ${nearText(part)}::timestamptz
    limit 1
  ) far
  where l.corridor_id = ${part.corridorId} and l.valid_until >= ${part.since}
    and l.effective_from < ${nearText(part)}::timestamptz`

/** Reports whether there is one that `standingEnding` finds only if it is to look far. */
export const hasLongOnes = (
  sql: Sql,
  part: Omit<StandingPart, 'since' | 'before' | 'isFar'>,
) => sql`
  exists (
    select 1 from ${longPrices(sql, part)} l
    where corridor_id = ${part.corridorId}
      and valid_until >= ${instantText(part.bounds.sinceMs)}::timestamptz
      and effective_from < ${nearText(part)}::timestamptz
  )`
