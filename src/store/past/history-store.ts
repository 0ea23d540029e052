import type { PendingQuery, Row } from 'postgres'
import { HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { PageAsk } from '~/domain/history.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import { quoteIn, type SaidRow, saidColumns } from '~/store/quote-store.ts'

export function createHistoryStore(database: Database) {
  return {
    async page(ask: PageAsk) {
      const rows = await pageStatement(database, ask)
      return rows.map((row) => quoteIn(ask.corridor, row))
    },
  }
}

/** The statement that answers a page in the cheapest way its question allows. */
export function pageStatement(database: Database, ask: PageAsk) {
  if (ask.providerId !== null) return providerPage(database, ask)
  return ask.offset === 0 ? firstPage(database, ask) : laterPage(database, ask)
}

function firstPage(database: Database, ask: PageAsk) {
  const { sql } = database
  return named(
    database,
    sql`
      select * from observations
      where corridor_id = ${corridorId(database, ask)} and ${within(database, ask)}
      order by ${inOrder(database, ask)} limit ${ask.limit}`,
    ask,
  )
}

/**
 * Skips whole hours by the roll-ups' counts and steps over single rows only inside the hour where
 * the page begins, so its cost follows the length of the window and not the offset.
 *
 * The window starts at the start of an hour; in the hour that it ends within, rows after the end do
 * not count.
 */
function laterPage(database: Database, ask: PageAsk) {
  const { sql } = database
  const { order, offset, fromMs, beforeMs } = ask
  const lastHourMs = hourStartMs(beforeMs - 1)
  const startOrEnd =
    order === 'asc'
      ? sql`effective_from >= (select hour from place)`
      : sql`effective_from < (select hour + interval '1 hour' from place)`
  return named(
    database,
    sql`
      with outside as materialized (
        select count(*) as samples from observations
        where corridor_id = ${corridorId(database, ask)}
          and effective_from >= ${instantText(beforeMs)}::timestamptz
          and effective_from < ${instantText(lastHourMs + HOUR_MS)}::timestamptz
      ), hours as (
        select hour, samples - pruned - case when hour = ${instantText(lastHourMs)}::timestamptz
          then (select samples from outside) else 0 end as samples
        from rollups
        where corridor_id = ${corridorId(database, ask)}
          and hour >= ${instantText(fromMs)}::timestamptz
          and hour <= ${instantText(lastHourMs)}::timestamptz
      ), counted as (
        select hour, samples, sum(samples) over (order by hour ${direction(database, ask)}) as upto
        from hours
      ), place as materialized (
        select hour, ${offset}::bigint - (upto - samples) as step from counted
        where upto > ${offset}::bigint order by upto limit 1
      )
      select * from observations
      where corridor_id = ${corridorId(database, ask)} and ${within(database, ask)}
        and ${startOrEnd}
      order by ${inOrder(database, ask)}
      limit ${ask.limit} offset (select step from place)`,
    ask,
  )
}

/** A page of one provider. It steps over rows in the index alone, which holds their order. */
function providerPage(database: Database, ask: PageAsk) {
  const { sql } = database
  return named(
    database,
    sql`
      select o.* from (
        select id from observations
        where provider_corridor_id = (
            select id from provider_corridors
            where corridor_id = ${corridorId(database, ask)} and provider_id = ${ask.providerId}
          ) and ${within(database, ask)}
        order by ${inOrder(database, ask)} limit ${ask.limit} offset ${ask.offset}
      ) page join observations o on o.id = page.id`,
    ask,
  )
}

/** A page of observations together with the providers behind their ids. */
function named(database: Database, page: PendingQuery<Row[]>, ask: PageAsk) {
  const { sql } = database
  return sql<SaidRow[]>`
    select ${saidColumns(sql)}
    from (${page}) o
    join provider_corridors p on p.id = o.provider_corridor_id
      and p.corridor_id = ${corridorId(database, ask)}
    ${withOffer(sql)}
    order by ${inOrder(database, ask)}`
}

const corridorId = ({ sql }: Database, { corridor: { from, to } }: PageAsk) =>
  sql`(select id from corridors where source = ${from} and target = ${to})`

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
