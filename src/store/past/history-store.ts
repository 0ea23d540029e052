import type { Corridor } from '~/domain/corridor.ts'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { PageAsk } from '~/domain/history.ts'
import { isUnfiltered, NO_FILTERS } from '~/domain/offer/filter.ts'
import type { RecordedQuote } from '~/domain/quote.ts'
import { touches } from '~/store/archive/archived.ts'
import { archivedPage, archivedTables, COLUMNS } from '~/store/archive/rows.ts'
import { checkedId, type Place, rowsOf } from '~/store/corridor-ids.ts'
import type { Database, Part, Sql } from '~/store/database.ts'
import { onShard } from '~/store/distributed/shard.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { rollupsIn } from '~/store/known/known-rollups.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { quoteIn, type SaidRow, saidColumns } from '~/store/quote-store.ts'

export function createHistoryStore(database: Database) {
  return {
    async page(ask: PageAsk) {
      const rows = await rowsOf(database, ask.corridor, (place) =>
        pageStatement(database, { ...ask, ...place }),
      )
      return rows.map((row) => recordedIn(ask.corridor, row))
    },
    async recorders(ids: readonly number[]) {
      const rows = await database.sql<RecorderRow[]>`
        select id, account_id as "accountId", key_id as "keyId"
        from recorders where id = any(${arrayLiteral(ids)}::int[])`
      return new Map(rows.map(({ id, ...recorder }) => [id, recorder]))
    },
  }
}

type RecorderRow = {
  readonly id: number
  readonly accountId: string
  readonly keyId: string | null
}

export type RecordedRow = SaidRow & {
  readonly recorded_ms: string
  readonly recorded_by: number | null
  readonly recorded_via: string | null
  readonly withdrawn_ms: string | null
  readonly reason: string | null
}

export const recordedIn = (corridor: Corridor, row: RecordedRow): RecordedQuote => ({
  ...quoteIn(corridor, row),
  recordedMs: Number(row.recorded_ms),
  recordedVia: row.recorded_via,
  recorderId: row.recorded_by,
  ...(row.withdrawn_ms !== null && {
    withdrawn: { atMs: Number(row.withdrawn_ms), reason: row.reason! },
  }),
})

/** The observations that a page is of, as a table. */
const source = ({ sql }: Database, { isWithWithdrawn }: PageAsk) =>
  isWithWithdrawn ? everObserved(sql) : sql`observations`

/** All observations as a table, also withdrawn ones, with `withdrawn_at` and `reason` of each. */
export function everObserved(sql: Sql) {
  const columns = sql(COLUMNS)
  return sql`(
    select ${columns}, null::timestamptz as withdrawn_at, null::text as reason from observations
    union all
    select ${columns}, withdrawn_at, reason from withdrawals
  ) observations`
}

type StoredAsk = PageAsk & Place

/** The statement that reads a page in the cheapest way its query allows. */
export function pageStatement(database: Database, ask: StoredAsk) {
  const isArchived = touches(ask.archive, ask)
  if (ask.providerId !== null && !isArchived) return providerPage(database, ask, ask.providerId)
  const isFiltered =
    ask.providerId !== null || ask.isWithWithdrawn || fitting(database, ask) !== null
  const isCounted = !isFiltered && !(isArchived && database.knownMs !== undefined)
  return isCounted && ask.offset > 0 ? laterPage(database, ask) : plainPage(database, ask)
}

/**
 * Skips whole hours by the roll-ups' counts and steps over single rows only inside the hour where
 * the page begins, so its cost follows the length of the window and not the offset.
 *
 * The window starts at the start of an hour; in the hour that it ends within, rows after the end do
 * not count.
 */
function laterPage(database: Database, ask: StoredAsk) {
  const { sql } = database
  const { corridorId, order, offset, limit, fromMs, beforeMs } = ask
  const lastHourMs = hourStartMs(beforeMs - 1)
  const endMs = lastHourMs + HOUR_MS
  const [from, before, end] = [fromMs, beforeMs, endMs].map(
    (ms) => sql`${instantText(ms)}::timestamptz`,
  ) as [Part, Part, Part]
  const span =
    order === 'asc'
      ? { from: sql`(select hour from place)`, before }
      : { from, before: sql`(select hour + interval '1 hour' from place)` }
  const condition = sql`corridor_id = ${corridorId} and ${within(database, ask)}
    and effective_from >= ${span.from} and effective_from < ${span.before}`
  const rowsMax = sql`${limit} + (select step from place)`
  const archived = archivedPage(database, ask, { ...ask, span, condition, rowsMax })
  const columns = ['corridor_id', 'effective_from']
  const after = archivedTables(database, ask, { fromMs: beforeMs, beforeMs: endMs, columns })
  return named(
    database,
    sql`
      with outside as materialized (
        ${after ? sql`with ${after}` : sql``}
        select count(*) as samples from observations
        where corridor_id = ${corridorId}
          and effective_from >= ${before} and effective_from < ${end}
      ), hours as (
        select hour, samples - pruned - case when hour = ${instantText(lastHourMs)}::timestamptz
          then (select samples from outside) else 0 end as samples
        from ${rollupsIn(database, ask, { from, before: end })}
        where corridor_id = ${corridorId} and hour >= ${from} and hour < ${end}
      ), counted as (
        select hour, samples, sum(samples) over (order by hour ${direction(database, ask)}) as upto
        from hours
      ), place as materialized (
        select hour, ${offset}::bigint - (upto - samples) as step from counted
        where upto > ${offset}::bigint order by upto limit 1
      ) ${archived ? sql`, ${archived}` : sql``}
      select * from observations
      where ${condition}
      order by ${inOrder(database, ask)}
      limit ${limit} offset (select step from place)`,
    ask,
  )
}

/**
 * A page that steps over the rows before it, those that do not fit too, as the roll-ups count all
 * of them. Blocks are opened up to its end.
 */
function plainPage(database: Database, ask: StoredAsk) {
  const { sql } = database
  const { corridorId, providerId, limit, offset } = ask
  const ofProvider =
    providerId === null
      ? sql``
      : sql`and provider_corridor_id = (
          select id from provider_corridors
          where corridor_id = ${corridorId} and provider_id = ${providerId}
        )`
  const condition = sql`corridor_id = ${corridorId} and ${within(database, ask)}
    ${ofProvider} and ${fitting(database, ask) ?? sql`true`}`
  const archived = archivedPage(database, ask, { ...ask, condition, rowsMax: offset + limit })
  return named(
    database,
    sql`
      ${archived ? sql`with ${archived}` : sql``}
      select * from ${source(database, ask)} where ${condition}
      order by ${inOrder(database, ask)} limit ${limit} offset ${offset}`,
    ask,
  )
}

/** A provider's page: steps over rows in the index alone, which holds their order, to its start. */
function providerPage(database: Database, ask: StoredAsk, providerId: string) {
  const { sql } = database
  const rows = sql`${source(database, ask)}
    where provider_corridor_id = (
        select id from provider_corridors
        where corridor_id = ${ask.corridorId} and provider_id = ${providerId}
      ) ${onShard(sql, ask)}
      and ${within(database, ask)} and ${fitting(database, ask) ?? sql`true`}`
  if (ask.offset === 0)
    return named(
      database,
      sql`select * from ${rows} order by ${inOrder(database, ask)} limit ${ask.limit}`,
      ask,
    )
  const onwards = ask.order === 'asc' ? sql`>=` : sql`<=`
  return named(
    database,
    sql`
      with place as materialized (
        select effective_from, id from ${rows}
        order by ${inOrder(database, ask)} limit 1 offset ${ask.offset}
      )
      select * from ${rows}
        and effective_from ${onwards} (select effective_from from place)
        and (effective_from, id) ${onwards} (
          (select effective_from from place), (select id from place)
        )
      order by ${inOrder(database, ask)} limit ${ask.limit}`,
    ask,
  )
}

/** The columns of `RecordedRow`, of observations `o` with `withdrawn_at` or without. */
export const recordedColumns = (sql: Sql, isWithWithdrawn: boolean) => sql`
  ${saidColumns(sql)}, extract(epoch from o.recorded_at) * 1000 as recorded_ms,
  o.recorded_by, o.recorded_via, ${
    isWithWithdrawn
      ? sql`extract(epoch from o.withdrawn_at) * 1000 as withdrawn_ms, o.reason`
      : sql`null as withdrawn_ms, null as reason`
  }`

/** A page of observations together with the providers behind their ids. */
function named(database: Database, page: Part, ask: StoredAsk) {
  const { sql } = database
  const columns = recordedColumns(sql, ask.isWithWithdrawn ?? false)
  return sql<RecordedRow[]>`
    select ${columns}
    from (${page}) o
    join provider_corridors p on p.id = o.provider_corridor_id
      and p.corridor_id = ${ask.corridorId} and p.corridor_id = ${checkedId(sql, ask)}
    ${withOffer(sql, sql`${ask.corridorId}`)}
    order by ${inOrder(database, ask)}`
}

/** Condition that observations fit the filters, by the rules of `unspecifiedOf`; null without. */
function fitting(database: Database, ask: StoredAsk) {
  const { sql } = database
  const { filters = NO_FILTERS } = ask
  if (isUnfiltered(filters)) return null
  const { sourceCountry, targetCountry, payIn, payOut, channel, deliveryMaxMs } = filters
  const any = (words: readonly string[]) => sql`${arrayLiteral(words)}::text[]`
  const ofOffers = [
    sourceCountry && sql`source_country <> ${sourceCountry}`,
    targetCountry && sql`target_country <> ${targetCountry}`,
    payIn && sql`not pay_in && ${any(payIn)}`,
    payOut && sql`not pay_out && ${any(payOut)}`,
    channel && sql`channel <> all (${any(channel)})`,
  ].filter((part) => part !== null)
  const other = ofOffers.reduce((parts, part) => sql`${parts} or ${part}`, sql`false`)
  const others = sql`
    select id from offers where corridor_id = ${ask.corridorId} and (${other})`
  const isInTime = sql`coalesce(delivery_max, delivery_min, 0) <= ${(deliveryMaxMs ?? 0) / 1000}`
  return sql`offer_id not in (${others}) and ${deliveryMaxMs === null ? sql`true` : isInTime}`
}

const within = ({ sql }: Database, { fromMs, beforeMs }: PageAsk) =>
  sql`effective_from >= ${instantText(fromMs)}::timestamptz
    and effective_from < ${instantText(beforeMs)}::timestamptz`

const direction = ({ sql }: Database, { order }: PageAsk) =>
  order === 'asc' ? sql`asc` : sql`desc`

function inOrder(database: Database, ask: PageAsk) {
  const { sql } = database
  const way = direction(database, ask)
  return sql`effective_from ${way}, id ${way}`
}
