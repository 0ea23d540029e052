import { roundAmount } from '~/domain/round.ts'
import type { MonthRow } from '~/service/file/month-file.ts'
import { presentOffer } from '~/wire/offer/offer.ts'

type ColumnType = 'STRING' | 'DOUBLE' | 'INT64' | 'TIMESTAMP'
type Value = string | number | bigint | null | undefined
type Row = MonthRow & ReturnType<typeof presentOffer>

/** Separator of payment methods in a cell, as in CSV. */
const LISTED = '|'

/** The columns of a month's file in their order: the type of each, and its value in a row. */
export const MONTH_COLUMNS = {
  id: ['INT64', ({ quote }) => BigInt(quote.id)],
  timestamp: ['TIMESTAMP', ({ quote }) => quote.atMs],
  corridor: ['STRING', ({ quote }) => `${quote.from}/${quote.to}`],
  from: ['STRING', ({ quote }) => quote.from],
  to: ['STRING', ({ quote }) => quote.to],
  provider_id: ['STRING', ({ quote }) => quote.providerId],
  provider_name: ['STRING', ({ providerName }) => providerName],
  rate: ['DOUBLE', ({ quote }) => quote.rate],
  fee: ['DOUBLE', ({ quote }) => quote.fee],
  fee_currency: ['STRING', ({ quote }) => quote.feeCurrency],
  rate_type: ['STRING', ({ quote }) => quote.rateType],
  evidence: ['STRING', ({ quote }) => quote.evidence],
  notes: ['STRING', ({ quote }) => quote.notes],
  offer_id: ['STRING', ({ offer_id }) => offer_id],
  source_country: ['STRING', ({ offer }) => offer?.source_country],
  target_country: ['STRING', ({ offer }) => offer?.target_country],
  pay_in: ['STRING', ({ offer }) => offer?.pay_in?.join(LISTED)],
  pay_out: ['STRING', ({ offer }) => offer?.pay_out?.join(LISTED)],
  channel: ['STRING', ({ offer }) => offer?.channel],
  amount_min: ['DOUBLE', ({ offer }) => offer?.amount_min],
  amount_max: ['DOUBLE', ({ offer }) => offer?.amount_max],
  service: ['STRING', ({ offer }) => offer?.service],
  fee_percent: ['DOUBLE', ({ offer }) => offer?.fee_percent],
  delivery_min: ['STRING', ({ offer }) => offer?.delivery_min],
  delivery_max: ['STRING', ({ offer }) => offer?.delivery_max],
  valid_until: ['TIMESTAMP', ({ quote }) => quote.offer?.validUntilMs],
  mid_rate: ['DOUBLE', ({ mid }) => mid && roundAmount(mid.rate)],
  mid_source: ['STRING', ({ mid }) => mid?.source],
  mid_fetched_at: ['TIMESTAMP', ({ mid }) => mid?.atMs],
  recorded_at: ['TIMESTAMP', ({ quote }) => quote.recordedMs],
  recorded_via: ['STRING', ({ quote }) => quote.recordedVia],
  withdrawn_at: ['TIMESTAMP', ({ quote }) => quote.withdrawn?.atMs],
  withdrawn_reason: ['STRING', ({ quote }) => quote.withdrawn?.reason],
} satisfies Readonly<Record<string, readonly [ColumnType, (row: Row) => Value]>>

export type MonthColumn = keyof typeof MONTH_COLUMNS
/** Values by column; times in milliseconds. */
export type MonthBatch = Readonly<Record<MonthColumn, Value[]>>

export const MONTH_NAMES = Object.keys(MONTH_COLUMNS) as MonthColumn[]

export function monthBatch(rows: readonly MonthRow[]): MonthBatch {
  const shown = rows.map((row) => ({ ...row, ...presentOffer(row.quote) }))
  return Object.fromEntries(
    MONTH_NAMES.map((name) => [name, shown.map((row) => MONTH_COLUMNS[name][1](row) ?? null)]),
  ) as MonthBatch
}
