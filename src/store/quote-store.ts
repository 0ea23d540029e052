import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Database, Sql } from './database.ts'
import { arrayLiteral, instantText } from './encoding.ts'
import { liveRows } from './offer/live.ts'
import { type OfferRow, offerColumns, offerOf, withOffer } from './offer/offer-row.ts'

export function createQuoteStore(database: Database) {
  const { sql } = database
  return {
    async live(nowMs: number) {
      const rows = await liveQuotes(database, nowMs)
      return [...new Map(rows.map((row) => [row.id, quoteOf(row)])).values()]
    },
    between: async (firstId: number, lastId: number, window: Window | null) =>
      quotesWhere(sql`o.id between ${firstId} and ${lastId}`, window),
    byIds: async (ids: readonly number[], window: Window | null) =>
      quotesWhere(sql`o.id = any(${arrayLiteral(ids)}::bigint[])`, window),
  }

  /** Quotes that meet a condition, looked for in the months of the window alone. */
  async function quotesWhere(condition: ReturnType<typeof withOffer>, window: Window | null) {
    const within =
      window &&
      sql`and o.effective_from >= ${instantText(window.fromMs)}::timestamptz
        and o.effective_from < ${instantText(window.beforeMs)}::timestamptz`
    const rows = await sql<QuoteRow[]>`
      select ${quoteColumns(sql)}
      from observations o
      join provider_corridors p on p.id = o.provider_corridor_id
      join corridors c on c.id = o.corridor_id
      ${withOffer(sql)}
      where ${condition} ${within ?? sql``}
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

/** The statement behind `live`. */
export function liveQuotes(database: Database, nowMs: number) {
  const { sql } = database
  return sql<QuoteRow[]>`
    select ${quoteColumns(sql)}
    from (${liveRows(database, nowMs)}) live
    cross join lateral (
      select * from observations
      where id = live.id and corridor_id = live.corridor_id
        and effective_from = live.effective_from
      limit 1
    ) o
    join provider_corridors p on p.id = o.provider_corridor_id
    join corridors c on c.id = p.corridor_id
    ${withOffer(sql)}`
}
