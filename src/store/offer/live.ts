import { boundariesMs } from '~/domain/freshness.ts'
import type { Part, Sql } from '~/store/database.ts'
import { onShard, type Shard } from '~/store/distributed/shard.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import type { Share } from './at-one-moment.ts'
import { endless, everyOffer, newest, ofOffer } from './held.ts'
import { NEAR_MS } from './standing.ts'

/** Offers by the ids of their series and their own, 0 for a plain one. */
export type OfferPlace = { readonly series: number; readonly offer: number }

export type LiveAsk = Pick<Shard, 'isDistributed' | 'isThen'> & {
  /** The beginning of the statement; nothing for the tables as they are. */
  readonly tables?: Part | undefined
  readonly nowMs: number
  /** The series whose latest months are searched; all of them if absent. */
  readonly share?: Share
  /** The offers that are searched before the latest months; null for all of them, in these. */
  readonly offers: readonly OfferPlace[] | null
}

/** The boundaries that have come, or nearly. */
const earlierMs = ({ nowMs }: LiveAsk) => boundariesMs(nowMs).filter(Number.isFinite)

const sinceMs = (ask: LiveAsk) => Math.min(...earlierMs(ask))

/** The months to search: a price that expires and began before the latest is a long price. */
export function searched(sql: Sql, ask: LiveAsk): Part {
  const near = sql`${instantText(sinceMs(ask) - NEAR_MS)}::timestamptz`
  return ask.offers ? sql`effective_from < ${near}` : sql`effective_from >= ${near}`
}

/**
 * The rows of offers that a reader may still ask for, each once or more, by id, corridor and time,
 * and perhaps some that an offer's other rows supersede. A row without an id names an offer of
 * which there may be one before the latest months.
 *
 * Each is found by index probes, so the cost follows the number of offers, not the length of their
 * history.
 */
export const liveRows = (sql: Sql, ask: LiveAsk): Part =>
  ask.offers ? farRows(sql, ask, ask.offers) : nearRows(sql, ask)

/**
 * Rows of each offer in the latest months: the newest row that never expires; newer rows that do,
 * as long as each is valid for longer than all newer ones, since it applies again after them; and
 * the row in force at each earlier boundary.
 */
function nearRows(sql: Sql, ask: LiveAsk): Part {
  const since = sql`${instantText(sinceMs(ask))}::timestamptz`
  const within = searched(sql, ask)
  return sql`
    with recursive tops as materialized (
      select p.id as series, p.corridor_id, k.offer_id, endless.id as endless_id,
        coalesce(endless.effective_from, '-infinity') as endless_from,
        ending.id as ending_id, ending.effective_from as ending_from, ending.valid_until
      from provider_corridors p
      cross join ${everyOffer(sql, ask)}
      left join ${endless(sql, { ...ask, within })} on true
      left join lateral (
        ${newest(sql, ask, {
          columns: sql`id, effective_from, valid_until`,
          where: sql`${ofOffer(sql, ask)} and valid_until is not null and ${within}
            and effective_from >= coalesce(endless.effective_from, '-infinity')`,
        })}
      ) ending on (ending.effective_from, ending.id)
        > (coalesce(endless.effective_from, '-infinity'), coalesce(endless.id, 0))
      where ${ask.share ? sql`p.id % ${ask.share.of}::int = ${ask.share.nth}::int` : sql`true`}
    ), ending as (
      select * from tops where ending_id is not null
      union all
      select series, corridor_id, offer_id, endless_id, endless_from, older.*
      from ending p cross join ${olderEnding(sql, { ...ask, within, since })}
    ), at_boundaries as (
      select tops.series, tops.corridor_id, tops.offer_id, o.* from tops
      cross join unnest(${arrayLiteral(earlierMs(ask).map(instantText))}::timestamptz[]) cutoff
      cross join lateral (select tops.series as id, tops.corridor_id) p
      cross join lateral (select tops.offer_id) k
      cross join ${heldAt(sql, { ...ask, within })}
      where greatest(endless_from, ending_from) > cutoff
    )
    select series, corridor_id, offer_id, endless_id as id, endless_from as effective_from from tops
    union all
    select series, corridor_id, offer_id, ending_id, ending_from from ending
    where valid_until >= ${since}
    union all
    select series, corridor_id, offer_id, id, effective_from from at_boundaries
    union all
    select series, corridor_id, offer_id, null, null from at_boundaries where endless_id is null`
}

/**
 * Rows of each of these offers before the latest months: the newest row that never expires, and
 * long prices, as long as each is valid for longer than all that are newer.
 */
function farRows(sql: Sql, ask: LiveAsk, offers: readonly OfferPlace[]): Part {
  const k = sql`unnest(
    ${arrayLiteral(offers.map(({ series }) => series))}::int[],
    ${arrayLiteral(offers.map(({ offer }) => offer))}::int[]
  ) k (series, offer_id)`
  const within = searched(sql, ask)
  return sql`
    select k.series, p.corridor_id, k.offer_id, endless.id, endless.effective_from
    from provider_corridors p join ${k} on k.series = p.id
    cross join ${endless(sql, { ...ask, within })}
    union all
    select series, corridor_id, offer_id, id, effective_from from (
      select k.series, l.corridor_id, l.offer_id, l.id, l.effective_from, l.valid_until,
        max(l.valid_until) over (
          partition by l.provider_corridor_id, l.offer_id order by l.effective_from desc, l.id desc
          rows between unbounded preceding and 1 preceding
        ) as newer_until
      from long_prices l
      join ${k} on k.series = l.provider_corridor_id and k.offer_id = l.offer_id
      where valid_until >= ${instantText(sinceMs(ask))}::timestamptz and ${within}
    ) long
    where newer_until is null or newer_until < valid_until`
}

type Bounds = Shard & { readonly within: Part }

/**
 * The newest row of the offer `k` in `p` that is not newer than `cutoff` and was valid then, and
 * the newest endless one; nulls if there is none.
 */
const heldAt = (sql: Sql, bounds: Bounds) => {
  const within = sql`effective_from <= cutoff and ${bounds.within}`
  return sql`lateral (
  select endless.id as endless_id, coalesce(ending.id, endless.id) as id,
    coalesce(ending.effective_from, endless.effective_from) as effective_from
  from (select 1) one
  left join ${endless(sql, { ...bounds, within })} on true
  left join lateral (
    ${newest(sql, bounds, {
      columns: sql`id, effective_from`,
      where: sql`${ofOffer(sql, bounds)} and valid_until >= cutoff and ${within}
        and effective_from >= coalesce(endless.effective_from, '-infinity')
        and (effective_from, id) > (coalesce(endless.effective_from, '-infinity'),
          coalesce(endless.id, 0))`,
    })}
  ) ending on true
) o`
}

/**
 * The newest row that is older than `p`, an expiring row, valid for longer than it and at `since`,
 * and newer than the newest endless one. Rows that are valid for longer are found first, in their
 * order, as the planner would otherwise walk all rows by time.
 */
const olderEnding = (sql: Sql, part: Bounds & { readonly since: Part }) => sql`lateral (
  select * from (
    select id, effective_from, valid_until from observations
    where provider_corridor_id = p.series ${onShard(sql, part)} and offer_id = p.offer_id
      and valid_until > p.valid_until and valid_until >= ${part.since} and ${part.within}
    order by valid_until offset 0
  ) longer
  where (effective_from, id) < (p.ending_from, p.ending_id)
    and (effective_from, id) > (p.endless_from, coalesce(p.endless_id, 0))
  order by effective_from desc, id desc limit 1
) older`
