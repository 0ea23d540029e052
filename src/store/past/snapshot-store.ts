import type { Corridor } from '~/domain/corridor.ts'
import type { Standing } from '~/domain/history.ts'
import { lasting } from '~/domain/offer/held.ts'
import type { Window } from '~/domain/period.ts'
import type { Probe } from '~/domain/price/day-mids.ts'
import { archivedLast } from '~/store/archive/rows.ts'
import { checkedId, type Place } from '~/store/corridor-ids.ts'
import type { Database, Part, Sql } from '~/store/database.ts'
import { referencesAt } from '~/store/day-references.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { everyOffer, newest, ofOffer } from '~/store/offer/held.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { NEAR_MS, pricedColumns, standingEnding } from '~/store/offer/standing.ts'
import { type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'
import { Reach } from './reach.ts'

export function createSnapshotStore(database: Database, reach = new Reach()) {
  return {
    async standing(corridor: Corridor, standing: Standing) {
      const rows = await reach.rows({
        database,
        corridor,
        nearMs: standing.beforeMs - NEAR_MS,
        ask: (place, firstMs) => standingQuotes(database, place, { ...standing, firstMs }),
      })
      return lasting(rows.map((row) => ({ ...quoteOf(row), recordedMs: Number(row.recorded_ms) })))
    },
    bankSeries: (currency: string) => bankSeries(database, currency),
    referencesAt: (probes: readonly Probe[]) => referencesAt(database, probes),
    async worthRange(currency: string, window: Window) {
      const [{ least, most }] = await worthRange(database, currency, window)
      return least === null ? null : { least: Number(least), most: Number(most) }
    },
  }
}

type StandingAsk = Standing & {
  /** The time from which endless prices are searched; -Infinity for all of history. */
  readonly firstMs: number
}

type StandingRow = QuoteRow & { readonly recorded_ms: string }

/**
 * One index probe for each offer that was ever quoted in the corridor, and one search for those
 * that expire. An offer without an endless price gives a row without an id; an offer with one needs
 * no long price from before it, which would be older. Archived prices come with those that they may
 * replace.
 */
export function standingQuotes(database: Database, place: Place, ask: StandingAsk) {
  const { sql } = database
  const { sinceMs, beforeMs, firstMs } = ask
  const isFar = !Number.isFinite(firstMs)
  const first = isFar ? sql`` : sql`and effective_from >= ${instantText(firstMs)}::timestamptz`
  const before = sql`${instantText(beforeMs)}::timestamptz`
  const since = sql`${instantText(sinceMs)}::timestamptz`
  const where = sql`
    ${ofOffer(sql, place)} and valid_until is null and effective_from < ${before} ${first}`
  const ending = standingEnding(sql, { ...place, since, before, bounds: ask, isFar })
  const archived = archivedLast(database, place, { ...ask, fromMs: firstMs })
  const isMissing = sql`endless.id is not null or not exists (
    select from archived
    where provider_corridor_id = p.id and offer_id = k.offer_id and valid_until is null
  )`
  const rows = sql`cross join lateral (
    select endless.* from (select 1) one
    cross join ${everyOffer(sql, place)}
    left join lateral (
      ${newest(sql, place, { columns: pricedColumns(sql), where })}
    ) endless on true
    where ${archived ? isMissing : sql`true`}
    union all
    select * from ending where provider_corridor_id = p.id
  ) o`
  return sql<StandingRow[]>`
    with ${archived ? sql`${archived},` : sql``} ending as materialized (${ending})
    ${quotedIn(sql, place, rows)}
    ${
      archived
        ? sql`union all
          ${quotedIn(sql, place, sql`join archived o on o.provider_corridor_id = p.id`)}`
        : sql``
    }`
}

/** Rows `o`, joined with the series `p` of their corridor `c`. */
const quotedIn = (sql: Sql, place: Place, rows: Part) => sql`
  select ${quoteColumns(sql)}, extract(epoch from o.recorded_at) * 1000 as recorded_ms
  from provider_corridors p
  join corridors c on c.id = p.corridor_id
  ${rows}
  ${withOffer(sql, sql`${place.corridorId}`)}
  where p.corridor_id = ${place.corridorId} and p.corridor_id = ${checkedId(sql, place)}`

/** The series of official providers with a currency on either side. */
async function bankSeries({ sql }: Database, currency: string) {
  const corridors = await sql<(Corridor & { readonly id: number })[]>`
    select id, source as "from", target as "to" from corridors
    where source = ${currency} or target = ${currency}`
  const byId = new Map(corridors.map(({ id, from, to }) => [id, { from, to }]))
  const series = await sql<{ readonly id: number; readonly providerId: string }[]>`
    select corridor_id as id, provider_id as "providerId" from provider_corridors
    where corridor_id = any(${arrayLiteral([...byId.keys()])}::int[])
      and provider_id in (select id from providers where rate_type = 'official')`
  return series.map(({ id, providerId }) => ({ ...byId.get(id)!, providerId }))
}

/** The lowest and the highest worth in a window, the one in force at its start among them. */
function worthRange({ sql }: Database, currency: string, { fromMs, beforeMs }: Window) {
  const from = sql`${instantText(fromMs)}::timestamptz`
  return sql<[{ least: string | null; most: string | null }]>`
    select min(per_usd) as least, max(per_usd) as most from reference_rates
    where currency = ${currency} and fetched_at < ${instantText(beforeMs)}::timestamptz
      and fetched_at >= coalesce((
        select fetched_at from reference_rates
        where currency = ${currency} and fetched_at <= ${from}
        order by fetched_at desc, id desc limit 1
      ), ${from})`
}
