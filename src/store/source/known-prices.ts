import type { Span } from '~/domain/source/day.ts'
import type { KnownPrice } from '~/domain/source/guard.ts'
import { archivedMonths, monthStartMs } from '~/store/archive/archived.ts'
import { archivedOfProvider } from '~/store/archive/rows.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { onShard } from '~/store/distributed/shard.ts'
import { instantText } from '~/store/encoding.ts'

/**
 * Returns a provider's recorded prices in a span, and the nearest before and after it in each
 * corridor, oldest first; of several at one time the one recorded last.
 */
export async function knownPrices(
  { sql }: Pick<Database, 'sql'>,
  providerId: string,
  { sinceMs, untilMs }: Span,
): Promise<KnownPrice[]> {
  const shard = { isDistributed: await isDistributed(sql) }
  const ofSeries = sql`provider_corridor_id = p.id ${onShard(sql, shard)}`
  const window = { fromMs: monthStartMs(sinceMs), beforeMs: Number.POSITIVE_INFINITY }
  const archive = await archivedMonths(sql)
  const archived = archivedOfProvider({ sql, archive }, providerId, window)
  const [since, until] = [instantText(sinceMs), instantText(untilMs)]
  const rows = await sql<KnownPrice[]>`
    ${archived ? sql`with ${archived}` : sql``}
    select c.source as "from", (extract(epoch from o.effective_from) * 1000)::float8 as "atMs",
      trim_scale(o.rate) as rate
    from provider_corridors p
    join corridors c on c.id = p.corridor_id
    cross join lateral (
      select distinct on (effective_from) effective_from, rate from observations
      where ${ofSeries}
        and effective_from between ${since}::timestamptz and ${until}::timestamptz
      order by effective_from, id desc
    ) o
    where p.provider_id = ${providerId}
    union all
    select c.source, (extract(epoch from o.effective_from) * 1000)::float8, trim_scale(o.rate)
    from provider_corridors p
    join corridors c on c.id = p.corridor_id
    cross join lateral (
      (select effective_from, rate from observations
        where ${ofSeries} and effective_from < ${since}::timestamptz
        order by effective_from desc, id desc limit 1)
      union all
      (select effective_from, rate from observations
        where ${ofSeries} and effective_from > ${until}::timestamptz
        order by effective_from, id desc limit 1)
    ) o
    where p.provider_id = ${providerId}
    order by "atMs"`
  return [...rows]
}
