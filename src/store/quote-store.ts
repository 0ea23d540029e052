import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Database, Part, Sql, TransactionSql } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { areManyMonths } from './month/parts.ts'
import { atOneMoment } from './offer/at-one-moment.ts'
import { Interned } from './offer/interned.ts'
import { type LiveAsk, liveRows, type OfferPlace, searched } from './offer/live.ts'
import { longPrices } from './offer/long-prices.ts'
import { type OfferRow, offerColumns, offerOf, withOffer } from './offer/offer-row.ts'

export function createQuoteStore(database: Database) {
  const { sql } = database
  const { byIds, withdrawnAmong, quotesWhere } = quotesIn(sql)
  return {
    live: async (nowMs: number) => [...(await liveQuotes(database, nowMs)).values()],
    async byIds(ids: readonly number[], window: Window | null) {
      const found = await byIds(ids, window)
      if (found.length === ids.length) return found
      const known = new Set(found.map(({ id }) => id))
      return [...found, ...(await withdrawnAmong(ids.filter((id) => !known.has(id))))]
    },
    recordedVia: (via: string, providerIds: readonly string[], { fromMs, beforeMs }: Window) =>
      quotesWhere(
        sql`o.recorded_via = ${via} and p.provider_id = any(${[...providerIds]}::text[])
          and o.effective_from >= ${instantText(fromMs)}::timestamptz
          and o.effective_from < ${instantText(beforeMs)}::timestamptz`,
        null,
      ),
    withdrawnAmong,
  }
}

/** Quotes by their ids, or by a condition. */
function quotesIn(sql: Sql) {
  return { byIds, withdrawnAmong, quotesWhere }

  async function byIds(ids: readonly number[], window: Window | null) {
    return quotesWhere(sql`o.id = any(${arrayLiteral(ids)}::bigint[])`, window)
  }

  async function withdrawnAmong(ids: readonly number[]) {
    const rows = await quoteRows(sql`withdrawals`, sql`o.id = any(${arrayLiteral(ids)}::bigint[])`)
    return rows.map(quoteOf)
  }

  /**
   * Quotes that meet a condition, searched in the months of the window alone if there are many. If
   * there are few, each is searched, as the server would otherwise search by the window.
   */
  async function quotesWhere(condition: Part, window: Window | null) {
    const within =
      window &&
      (await areManyMonths(sql)) &&
      sql`and o.effective_from >= ${instantText(window.fromMs)}::timestamptz
        and o.effective_from < ${instantText(window.beforeMs)}::timestamptz`
    const rows = await quoteRows(sql`observations`, sql`${condition} ${within || sql``}`)
    return rows.map(quoteOf)
  }

  function quoteRows(table: Part, condition: Part) {
    return sql<QuoteRow[]>`
      select ${quoteColumns(sql)}
      from ${quoteTables(sql, table)}
      where ${condition}
      order by o.id`
  }
}

/** An observation whose corridor is known, as selected by `saidColumns`. */
export type SaidRow = OfferRow & {
  readonly id: string
  readonly provider_id: string
  readonly at_ms: string
  readonly rate: string
  readonly fee: string | null
  readonly fee_currency: string | null
  readonly rate_type: RateType
  readonly evidence: Evidence | null
  readonly notes: string | null
}

/** The columns of observations `o`, of their provider, in `p`, and of their offer, in `f`. */
export const saidColumns = (sql: Sql) => sql`
  o.id, p.provider_id, extract(epoch from o.effective_from) * 1000 as at_ms,
  o.rate, o.fee, o.fee_currency, o.rate_type, o.evidence, o.notes,
  ${offerColumns(sql)}`

/** An observation of any corridor, as selected by `quoteColumns`. */
export type QuoteRow = SaidRow & { readonly source: string; readonly target: string }

/** The columns of `saidColumns` and those of the corridor, in `c`. */
export const quoteColumns = (sql: Sql) => sql`${saidColumns(sql)}, c.source, c.target`

/** Observations `o` of a table, with the other tables of `quoteColumns`. */
export const quoteTables = (sql: Sql, table: Part) => sql`
  ${table} o
  join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
  join corridors c on c.id = o.corridor_id
  ${withOffer(sql, sql`o.corridor_id`)}`

export const quoteOf = (row: QuoteRow): Quote => quoteIn({ from: row.source, to: row.target }, row)

const names = new Interned<string>()

/** The string, as one object for all rows: the driver creates one for each row. */
const shared = <T extends string>(text: T): T => names.of(text, () => text) as T

export const quoteIn = ({ from, to }: Corridor, row: SaidRow): Quote => ({
  id: Number(row.id),
  atMs: Number(row.at_ms),
  providerId: shared(row.provider_id),
  from: shared(from),
  to: shared(to),
  rate: Number(row.rate),
  fee: row.fee === null ? null : Number(row.fee),
  feeCurrency: row.fee_currency && shared(row.fee_currency),
  rateType: shared(row.rate_type),
  evidence: shared(row.evidence ?? 'observed'),
  offer: offerOf(row),
  ...(row.notes !== null && { notes: row.notes }),
})

/**
 * The quotes behind `live` by id: those of the latest months, and of the offers that may have one
 * before them, as of one time. `tables` may begin the statement, with other contents for the tables
 * that it reads.
 */
export async function liveQuotes(
  { sql }: Database,
  nowMs: number,
  tables?: Part,
): Promise<Map<string, Quote>> {
  const ask = { nowMs, tables, isDistributed: await isDistributed(sql) }
  const quotes = new Map<string, Quote>()
  await atOneMoment(sql, ask.isDistributed ? 1 : SHARES_MAX, (tx, share) =>
    liveIn(sql, tx, { ...ask, share, take: (row) => quotes.set(row.id, quoteOf(row)) }),
  )
  return quotes
}

type Taking = Omit<LiveAsk, 'offers'> & {
  /** Takes each row as it arrives, some of them more than once: all together would be large. */
  readonly take: (row: LiveRow) => unknown
}

async function liveIn(sql: Sql, tx: TransactionSql, { take, ...ask }: Taking): Promise<void> {
  const far = new Map<string, OfferPlace>()
  const takeFound = (row: LiveRow) => {
    if (row.id !== null) take(row)
    else far.set(`${row.series} ${row.of_offer}`, { series: row.series, offer: row.of_offer })
  }
  const search = (offers: LiveAsk['offers']) =>
    unsorted(tx, ask, () => liveStatement(sql, tx, { ...ask, offers }).forEach(takeFound))
  await search(null)
  if (far.size > 0) await search([...far.values()])
}

/**
 * Sends a statement that may not sort, since the planner expects too few rows of an offer to walk
 * an index in their order; in one go with its settings, so that no other comes between them. `jit`
 * goes on to the workers of a cluster, whose sessions are not ours.
 */
const unsorted = (
  tx: TransactionSql,
  { isDistributed }: Pick<LiveAsk, 'isDistributed'>,
  send: () => PromiseLike<unknown>,
) =>
  Promise.all([
    tx`set local enable_sort = off`.execute(),
    isDistributed && tx`set local jit = off`.execute(),
    send(),
    tx`set local enable_sort = on`.execute(),
  ])

type SeriesAsk = Pick<LiveAsk, 'nowMs' | 'isDistributed' | 'isThen'> & {
  readonly corridorId: number
  /** The series of the corridor; all of them if absent. */
  readonly series?: readonly number[]
  /** A part of a WITH for archived observations; null for none. */
  readonly archived?: Part | null
}

/** Takes the rows behind `live` of some series of a corridor, inside a transaction. */
export function eachLiveRow(
  sql: Sql,
  tx: TransactionSql,
  { take, ...ask }: SeriesAsk & Pick<Taking, 'take'>,
): Promise<void> {
  const { nowMs, isDistributed, isThen = false, corridorId, series, archived } = ask
  const own = (id: string) =>
    series ? sql`and ${sql(id)} = any(${arrayLiteral(series)}::int[])` : sql``
  const whole = (name: string, table = sql`${sql(name)}`) => sql`${sql(name)} as not materialized (
    select * from ${table} own where corridor_id = ${corridorId}
  ),`
  const long = longPrices(sql, { isDistributed, isThen, corridorId })
  const tables = sql`
    with ${isDistributed ? whole('observations') : sql``}
    ${isDistributed || isThen ? whole('long_prices', long) : sql``}
    ${archived ? sql`${archived},` : sql``}
    provider_corridors as not materialized (
      select * from public.provider_corridors where corridor_id = ${corridorId} ${own('id')}
    ), offers as not materialized (
      select * from public.offers
      where corridor_id = ${corridorId} ${own('provider_corridor_id')}
    )`
  return liveIn(sql, tx, { nowMs, isDistributed, isThen: isThen && !archived, tables, take })
}

/** The maximum number of shares read at once: one is read while another becomes quotes. */
const SHARES_MAX = 2

/** Live quotes of an offer, by the ids of its series and its own. */
type LiveRow = QuoteRow & { readonly series: number; readonly of_offer: number }

/**
 * A row without an id represents an offer alone: see `liveRows`.
 *
 * The found rows are materialized, as the planner cannot choose how to join them while a sort that
 * was switched off counts in the cost of every choice.
 */
export function liveStatement(sql: Sql, tx: Sql | TransactionSql, ask: LiveAsk) {
  const found = liveRows(sql, ask)
  const begun = ask.tables ? sql`${ask.tables},` : sql`with`
  return tx<LiveRow[]>`
    ${begun} found as materialized (${found})
    select live.series, live.offer_id as of_offer, ${quoteColumns(sql)}
    from found live
    left join lateral (
      select * from observations
      where id = live.id and corridor_id = live.corridor_id and effective_from = live.effective_from
        and ${searched(sql, ask)}
      limit 1
    ) o on true
    join provider_corridors p on p.id = live.series and p.corridor_id = live.corridor_id
    join corridors c on c.id = live.corridor_id
    ${withOffer(sql, sql`live.corridor_id`)}`
}
