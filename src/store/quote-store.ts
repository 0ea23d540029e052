import type { PendingQuery, Row, TransactionSql } from 'postgres'
import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Database, Sql } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { areManyMonths } from './month/parts.ts'
import { atOneMoment } from './offer/at-one-moment.ts'
import { type LiveAsk, liveRows, type OfferPlace, searched } from './offer/live.ts'
import { type OfferRow, offerColumns, offerOf, withOffer } from './offer/offer-row.ts'

/** The longest range of ids that is listed. */
const LISTED_MAX = 1000

export function createQuoteStore(database: Database) {
  const { sql } = database
  return {
    async live(nowMs: number) {
      const rows = await liveQuotes(database, nowMs)
      return [...new Map(rows.map((row) => [row.id, quoteOf(row)])).values()]
    },
    /** A short range is listed, as the server would plan for a long one. */
    between: async (firstId: number, lastId: number, window: Window | null) =>
      lastId - firstId < LISTED_MAX
        ? byIds(
            Array.from({ length: Math.max(0, lastId - firstId + 1) }, (_, i) => firstId + i),
            window,
          )
        : quotesWhere(sql`o.id between ${firstId} and ${lastId}`, window),
    byIds,
  }

  async function byIds(ids: readonly number[], window: Window | null) {
    return quotesWhere(sql`o.id = any(${arrayLiteral(ids)}::bigint[])`, window)
  }

  /**
   * Quotes that meet a condition, looked for in the months of the window alone where there are
   * many. Of a few each is asked, as the server would search them by the window else.
   */
  async function quotesWhere(condition: PendingQuery<Row[]>, window: Window | null) {
    const within =
      window &&
      (await areManyMonths(sql)) &&
      sql`and o.effective_from >= ${instantText(window.fromMs)}::timestamptz
        and o.effective_from < ${instantText(window.beforeMs)}::timestamptz`
    const rows = await sql<QuoteRow[]>`
      select ${quoteColumns(sql)}
      from observations o
      join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
      join corridors c on c.id = o.corridor_id
      ${withOffer(sql, sql`o.corridor_id`)}
      where ${condition} ${within || sql``}
      order by o.id`
    return rows.map(quoteOf)
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
}

/** The columns of observations `o`, of their provider, in `p`, and of their offer, in `f`. */
export const saidColumns = (sql: Sql) => sql`
  o.id, p.provider_id, extract(epoch from o.effective_from) * 1000 as at_ms,
  o.rate, o.fee, o.fee_currency, o.rate_type, o.evidence,
  ${offerColumns(sql)}`

/** An observation of any corridor, as selected by `quoteColumns`. */
export type QuoteRow = SaidRow & { readonly source: string; readonly target: string }

/** The columns of `saidColumns` and those of the corridor, in `c`. */
export const quoteColumns = (sql: Sql) => sql`${saidColumns(sql)}, c.source, c.target`

export const quoteOf = (row: QuoteRow): Quote => quoteIn({ from: row.source, to: row.target }, row)

export const quoteIn = ({ from, to }: Corridor, row: SaidRow): Quote => ({
  id: Number(row.id),
  atMs: Number(row.at_ms),
  providerId: row.provider_id,
  from,
  to,
  rate: Number(row.rate),
  fee: row.fee === null ? null : Number(row.fee),
  feeCurrency: row.fee_currency,
  rateType: row.rate_type,
  evidence: row.evidence ?? 'observed',
  offer: offerOf(row),
})

/**
 * The rows behind `live`, some of them more than once: those of the latest months, and of the
 * offers that may have one before it, as of one moment. `tables` may begin the statement, with
 * other contents for the tables that it reads.
 */
export async function liveQuotes(
  { sql }: Database,
  nowMs: number,
  tables?: PendingQuery<Row[]>,
): Promise<QuoteRow[]> {
  const ask = { nowMs, tables, isDistributed: await isDistributed(sql) }
  const shares = await atOneMoment(sql, ask.isDistributed ? 1 : SHARES_MAX, async (tx, share) => {
    // The planner expects too few rows of an offer to walk an index in their order.
    await tx`set local enable_sort = off`
    const near = await liveStatement(sql, tx, { ...ask, share, offers: null })
    const offers = farOffers(near)
    if (offers.length === 0) return near
    const far = await liveStatement(sql, tx, { ...ask, offers })
    return [...near, ...far].filter(({ id }) => id !== null)
  })
  return shares.flat()
}

/** How many shares are read at once: one can be read while another is turned into quotes. */
const SHARES_MAX = 2

/** The offers that a search in the latest months does not say all of. */
function farOffers(rows: readonly LiveRow[]): OfferPlace[] {
  const far = new Map<string, OfferPlace>()
  for (const { id, series, of_offer: offer } of rows)
    if (id === null) far.set(`${series} ${offer}`, { series, offer })
  return [...far.values()]
}

type LiveRow = QuoteRow & { readonly series: number; readonly of_offer: number }

/**
 * A row without an id says an offer alone: see `liveRows`.
 *
 * What is found stands apart, as the planner cannot choose how to join it while a sort that was
 * switched off counts in the cost of every choice. Citus reads a corridor at a time, as one.
 */
export function liveStatement(sql: Sql, tx: Sql | TransactionSql, ask: LiveAsk) {
  const found = liveRows(sql, ask)
  return tx<LiveRow[]>`
    ${ask.isDistributed ? (ask.tables ?? sql``) : sql`with found as materialized (${found})`}
    select live.series, live.offer_id as of_offer, ${quoteColumns(sql)}
    from ${ask.isDistributed ? sql`(${found})` : sql`found`} live
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
