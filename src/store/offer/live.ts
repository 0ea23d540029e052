import type { PendingQuery, Row } from 'postgres'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Sql } from '~/store/database.ts'
import { onShard, type Shard } from '~/store/distributed/shard.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { endless, everyOffer, newestFirst, ofOffer } from './held.ts'
import { NEAR_MS } from './standing.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

/** Offers by the ids of their series and their own, 0 for a plain one. */
export type OfferPlace = { readonly series: number; readonly offer: number }

export type LiveAsk = Pick<Shard, 'isDistributed'> & {
  /** The beginning of the statement; nothing for the tables as they are. */
  readonly tables?: Part
  readonly nowMs: number
  /** The offers whose whole history is searched; null for all of them, in the latest months. */
  readonly offers: readonly OfferPlace[] | null
}

/**
 * The rows of offers that a reader may still ask for, each once or more, by id, corridor and time.
 *
 * The newest row that never runs out; newer ones that do, as long as each is valid for longer than
 * all that are newer still, since it holds again after them; and for each earlier boundary what
 * held there. Each is found by index probes, so the cost follows the number of offers, not the
 * length of their history.
 *
 * Where it searches the latest months alone, a row without an id names an offer of which there is
 * or may be an earlier row to find.
 */
export function liveRows(sql: Sql, ask: LiveAsk) {
  const earlier = boundariesMs(ask.nowMs).filter(Number.isFinite)
  const since = sql`${instantText(Math.min(...earlier))}::timestamptz`
  const nearText = instantText(Math.min(...earlier) - NEAR_MS)
  const near = sql`${nearText}::timestamptz`
  const within = ask.offers ? sql`true` : sql`effective_from >= ${near}`
  return sql`
    with recursive tops as materialized (
      select p.id as series, p.corridor_id, k.offer_id, endless.id as endless_id,
        coalesce(endless.effective_from, '-infinity') as endless_from,
        ending.id as ending_id, ending.effective_from as ending_from, ending.valid_until
      from provider_corridors p
      ${asked(sql, ask)}
      left join ${endless(sql, { ...ask, within })} on true
      left join lateral (
        select id, effective_from, valid_until from observations
        where ${ofOffer(sql, ask)} and valid_until is not null and ${within}
          and effective_from >= coalesce(endless.effective_from, '-infinity')
        ${newestFirst(sql)}
      ) ending on (ending.effective_from, ending.id)
        > (coalesce(endless.effective_from, '-infinity'), coalesce(endless.id, 0))
    ), ending as (
      select * from tops where ending_id is not null
      union all
      select series, corridor_id, offer_id, endless_id, endless_from, older.*
      from ending p cross join ${olderEnding(sql, { ...ask, within, since })}
    ), at_boundaries as (
      select tops.series, tops.corridor_id, tops.offer_id, o.* from tops
      cross join unnest(${arrayLiteral(earlier.map(instantText))}::timestamptz[]) cutoff
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
    ${ask.offers ? sql`` : farOffers(sql, { near, since })}`
}

/** The offers that are asked for, as `k`, of the series `p`. */
function asked(sql: Sql, ask: LiveAsk): Part {
  if (!ask.offers) return sql`cross join ${everyOffer(sql, ask)}`
  return sql`join unnest(
      ${arrayLiteral(ask.offers.map(({ series }) => series))}::int[],
      ${arrayLiteral(ask.offers.map(({ offer }) => offer))}::int[]
    ) k (series, offer_id) on k.series = p.id`
}

/** The offers of which there may be a row before the latest months, in a union. */
const farOffers = (sql: Sql, { near, since }: { near: Part; since: Part }) => sql`
    union all
    select series, corridor_id, offer_id, null, null from at_boundaries where endless_id is null
    union all
    select provider_corridor_id, corridor_id, offer_id, null, null from long_prices
    where valid_until >= ${since} and effective_from < ${near}`

type Bounds = Shard & { readonly within: Part }

/**
 * The newest row of the offer `k` in `p` that is not newer than `cutoff` and was valid then, and
 * the newest endless one; nulls where there is none.
 */
const heldAt = (sql: Sql, bounds: Bounds) => {
  const within = sql`effective_from <= cutoff and ${bounds.within}`
  return sql`lateral (
  select endless.id as endless_id, coalesce(ending.id, endless.id) as id,
    coalesce(ending.effective_from, endless.effective_from) as effective_from
  from (select 1) one
  left join ${endless(sql, { ...bounds, within })} on true
  left join lateral (
    select id, effective_from from observations
    where ${ofOffer(sql, bounds)} and valid_until >= cutoff and ${within}
      and effective_from >= coalesce(endless.effective_from, '-infinity')
      and (effective_from, id) > (coalesce(endless.effective_from, '-infinity'),
        coalesce(endless.id, 0))
    ${newestFirst(sql)}
  ) ending on true
) o`
}

/**
 * The newest row that is older than `p`, a row that runs out, valid for longer than it and at
 * `since`, and newer than the newest endless one. Those that are valid for longer are found first,
 * in their order, as the planner would otherwise walk all rows by time.
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
