import type { Corridor } from '~/domain/corridor.ts'
import { boundariesMs } from '~/domain/freshness.ts'
import type { Evidence } from '~/domain/price/evidence.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Database, Sql } from './database.ts'
import { arrayLiteral, instantText } from './encoding.ts'

export function createQuoteStore(database: Database) {
  const { sql } = database
  return {
    async live(nowMs: number) {
      const rows = await liveQuotes(database, nowMs)
      return [...new Map(rows.map((row) => [row.id, quoteOf(row)])).values()]
    },
    async between(firstId: number, lastId: number) {
      const rows = await sql<QuoteRow[]>`
        select ${quoteColumns(sql)}
        from observations o
        join provider_corridors p on p.id = o.provider_corridor_id
        join corridors c on c.id = o.corridor_id
        where o.id between ${firstId} and ${lastId}
        order by o.id`
      return rows.map(quoteOf)
    },
  }
}

/** An observation whose corridor is known, as selected by `saidColumns`. */
export type SaidRow = {
  readonly id: string
  readonly provider_id: string
  readonly at_ms: string
  readonly rate: string
  readonly fee: string | null
  readonly fee_currency: string | null
  readonly rate_type: RateType
  readonly evidence: Evidence | null
}

/** The columns of observations `o` and the provider behind their ids, in `p`. */
export const saidColumns = (sql: Sql) => sql`
  o.id, p.provider_id, extract(epoch from o.effective_from) * 1000 as at_ms,
  o.rate, o.fee, o.fee_currency, o.rate_type, o.evidence`

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
  offer: null,
})

/**
 * The statement behind `live`: one index probe for the newest quote of each pair, and another for
 * each earlier boundary that this quote is later than. The cost follows the number of pairs, not
 * the length of their history.
 */
export function liveQuotes({ sql }: Database, nowMs: number) {
  const earlier = boundariesMs(nowMs).filter(Number.isFinite)
  return sql<QuoteRow[]>`
    select ${quoteColumns(sql)}
    from provider_corridors p
    join corridors c on c.id = p.corridor_id
    cross join lateral (
      select * from observations
      where provider_corridor_id = p.id
      order by effective_from desc, id desc limit 1
    ) newest
    cross join lateral (
      select newest.*
      union all
      select held.* from unnest(${arrayLiteral(earlier.map(instantText))}::timestamptz[]) cutoff
      cross join lateral (
        select * from observations
        where provider_corridor_id = p.id and effective_from <= cutoff
        order by effective_from desc, id desc limit 1
      ) held
      where newest.effective_from > cutoff
    ) o`
}
