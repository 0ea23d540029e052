import { boundariesMs } from '~/domain/freshness.ts'
import type { Database, Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { endless, everyOffer, held, ofOffer } from './held.ts'

/**
 * The rows `o` of every offer `k` of the series `p` that a reader may still ask for, each once or
 * more.
 *
 * The newest row that never runs out; newer ones that do, as long as each is valid for longer than
 * all that are newer still, since it holds again after them; and for each earlier boundary what
 * held there. Each is found by index probes, so the cost follows the number of offers, not the
 * length of their history.
 */
export function liveRows({ sql }: Database, nowMs: number) {
  const earlier = boundariesMs(nowMs).filter(Number.isFinite)
  return sql`
    with recursive tops as materialized (
      select p.id as series, p.corridor_id, k.offer_id, endless.id as endless_id,
        coalesce(endless.effective_from, '-infinity') as endless_from,
        ending.id as ending_id, ending.effective_from as ending_from, ending.valid_until
      from provider_corridors p
      cross join ${everyOffer(sql)}
      left join ${endless(sql, sql`true`)} on true
      left join lateral (
        select id, effective_from, valid_until from observations
        where ${ofOffer(sql)} and valid_until is not null
          and effective_from >= coalesce(endless.effective_from, '-infinity')
        order by effective_from desc, id desc limit 1
      ) ending on (ending.effective_from, ending.id)
        > (coalesce(endless.effective_from, '-infinity'), coalesce(endless.id, 0))
    ), ending as (
      select * from tops where ending_id is not null
      union all
      select ending.series, corridor_id, ending.offer_id, endless_id, endless_from, older.*
      from ending cross join ${olderEnding(sql, Math.min(...earlier))}
    ), at_boundaries as (
      select o.id, corridor_id, o.effective_from from tops
      cross join unnest(${arrayLiteral(earlier.map(instantText))}::timestamptz[]) cutoff
      cross join lateral (select tops.series as id) p
      cross join lateral (select tops.offer_id) k
      cross join ${held(sql, { upTo: sql`effective_from <= cutoff`, at: sql`cutoff` })}
      where greatest(endless_from, ending_from) > cutoff
    )
    select endless_id as id, corridor_id, endless_from as effective_from from tops
    where endless_id is not null
    union all
    select ending_id, corridor_id, ending_from from ending
    where valid_until >= ${instantText(Math.min(...earlier))}::timestamptz
    union all
    select id, corridor_id, effective_from from at_boundaries`
}

/**
 * The newest row that is older than `ending`, valid for longer than it and at `sinceMs`, and newer
 * than the newest endless one. Those that are valid for longer are found first, in their order, as
 * the planner would otherwise walk all rows by time.
 */
const olderEnding = (sql: Sql, sinceMs: number) => sql`lateral (
  select * from (
    select id, effective_from, valid_until from observations
    where provider_corridor_id = ending.series and offer_id = ending.offer_id
      and valid_until > ending.valid_until
      and valid_until >= ${instantText(sinceMs)}::timestamptz
    order by valid_until offset 0
  ) longer
  where (effective_from, id) < (ending.ending_from, ending.ending_id)
    and (effective_from, id) > (ending.endless_from, coalesce(ending.endless_id, 0))
  order by effective_from desc, id desc limit 1
) older`
