import type { Corridor } from '~/domain/corridor.ts'
import type { Place } from '~/domain/history.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import type { Database } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { instantText } from '~/store/encoding.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'

export function createSnapshotStore(database: Database) {
  return {
    async latestBefore(corridor: Corridor, place: Place) {
      return (await latestQuotes(database, corridor, place)).map(quoteOf)
    },
    referencesAt: (probes: readonly Probe[]) => referencesAt(database, probes),
  }
}

/** One index probe for each provider that ever quoted the corridor. */
export function latestQuotes({ sql }: Database, { from, to }: Corridor, { atMs, id }: Place) {
  return sql<QuoteRow[]>`
    select ${quoteColumns(sql)}
    from corridors c
    join provider_corridors p on p.corridor_id = c.id
    cross join lateral (
      select * from observations
      where provider_corridor_id = p.id
        and (effective_from, id) < (${instantText(atMs)}::timestamptz, ${id}::bigint)
      order by effective_from desc, id desc limit 1
    ) o
    ${withOffer(sql)}
    where c.source = ${from} and c.target = ${to}`
}
