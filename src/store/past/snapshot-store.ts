import type { Corridor } from '~/domain/corridor.ts'
import type { Standing } from '~/domain/history.ts'
import { lasting } from '~/domain/offer/held.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { Database } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { instantText } from '~/store/encoding.ts'
import { everyOffer, ofOffer } from '~/store/offer/held.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { pricedColumns, standingEnding } from '~/store/offer/standing.ts'
import { type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'

export function createSnapshotStore(database: Database) {
  return {
    async standing(corridor: Corridor, standing: Standing) {
      return lasting((await standingQuotes(database, corridor, standing)).map(quoteOf))
    },
    referencesAt: (probes: readonly Probe[]) => referencesAt(database, probes),
  }
}

/**
 * One index probe for each offer that was ever quoted in the corridor, and one search for those
 * that run out.
 */
export function standingQuotes(
  { sql }: Database,
  { from, to }: Corridor,
  { sinceMs, beforeMs }: Standing,
) {
  const before = sql`${instantText(beforeMs)}::timestamptz`
  const ending = standingEnding(sql, {
    corridorId: sql`(select id from corridor)`,
    since: sql`${instantText(sinceMs)}::timestamptz`,
    before,
  })
  return sql<QuoteRow[]>`
    with corridor as materialized (
      select id from corridors where source = ${from} and target = ${to}
    )
    select ${quoteColumns(sql)}
    from (
      select endless.* from provider_corridors p
      cross join ${everyOffer(sql)}
      cross join lateral (
        select ${pricedColumns(sql)} from observations
        where ${ofOffer(sql)} and valid_until is null and effective_from < ${before}
        order by effective_from desc, id desc limit 1
      ) endless
      where p.corridor_id = (select id from corridor)
      union all
      select * from (${ending}) standing
    ) o
    join provider_corridors p on p.id = o.provider_corridor_id
    join corridors c on c.id = p.corridor_id
    ${withOffer(sql)}`
}
