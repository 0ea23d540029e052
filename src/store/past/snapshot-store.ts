import type { Corridor } from '~/domain/corridor.ts'
import type { Place } from '~/domain/history.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'
import { referenceOf, type SelectedReference } from '~/store/reference-row.ts'

export function createSnapshotStore(database: Database) {
  return {
    async latestBefore(corridor: Corridor, place: Place) {
      return (await latestQuotes(database, corridor, place)).map(quoteOf)
    },
    async referencesBefore(currencies: readonly string[], beforeMs: number) {
      return (await latestReferences(database, currencies, beforeMs)).map(referenceOf)
    },
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
    where c.source = ${from} and c.target = ${to}`
}

/** One index probe for each currency. */
export function latestReferences(
  { sql }: Database,
  currencies: readonly string[],
  beforeMs: number,
) {
  return sql<SelectedReference[]>`
    select r.id, r.currency, r.per_usd, s.source, extract(epoch from r.fetched_at) * 1000 as at_ms
    from unnest(${arrayLiteral(currencies)}::text[]) asked
    cross join lateral (
      select * from reference_rates
      where currency = asked and fetched_at < ${instantText(beforeMs)}::timestamptz
      order by fetched_at desc, id desc limit 1
    ) r
    cross join lateral (
      select source from reference_snapshots where id = r.snapshot_id limit 1
    ) s`
}
