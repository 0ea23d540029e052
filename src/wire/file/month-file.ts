import { roundAmount } from '~/domain/round.ts'
import type { MonthRow } from '~/service/file/month-file.ts'
import { presentOffer } from '~/wire/offer/offer.ts'

type ColumnType = 'STRING' | 'DOUBLE' | 'INT64' | 'TIMESTAMP'
type Value = string | number | bigint | null | undefined

/** The columns of a month's file and their types, in their order. */
export const MONTH_COLUMNS = {
  id: 'INT64',
  timestamp: 'TIMESTAMP',
  corridor: 'STRING',
  from: 'STRING',
  to: 'STRING',
  provider_id: 'STRING',
  provider_name: 'STRING',
  rate: 'DOUBLE',
  fee: 'DOUBLE',
  fee_currency: 'STRING',
  rate_type: 'STRING',
  evidence: 'STRING',
  notes: 'STRING',
  offer_id: 'STRING',
  source_country: 'STRING',
  target_country: 'STRING',
  pay_in: 'STRING',
  pay_out: 'STRING',
  channel: 'STRING',
  amount_min: 'DOUBLE',
  amount_max: 'DOUBLE',
  service: 'STRING',
  fee_percent: 'DOUBLE',
  delivery_min: 'STRING',
  delivery_max: 'STRING',
  valid_until: 'TIMESTAMP',
  mid_rate: 'DOUBLE',
  mid_source: 'STRING',
  mid_fetched_at: 'TIMESTAMP',
  recorded_at: 'TIMESTAMP',
  recorded_via: 'STRING',
  withdrawn_at: 'TIMESTAMP',
  withdrawn_reason: 'STRING',
} as const satisfies Readonly<Record<string, ColumnType>>

type Column = keyof typeof MONTH_COLUMNS
/** Values by column; times in milliseconds. */
export type MonthBatch = Readonly<Record<Column, Value[]>>

const NAMES = Object.keys(MONTH_COLUMNS) as Column[]

export function monthBatch(rows: readonly MonthRow[]): MonthBatch {
  const cells = rows.map(monthCells)
  return Object.fromEntries(
    NAMES.map((name) => [name, cells.map((row) => row[name] ?? null)]),
  ) as MonthBatch
}

function monthCells({ quote, providerName, mid }: MonthRow): Readonly<Record<Column, Value>> {
  const { offer_id, offer } = presentOffer(quote)
  return {
    id: BigInt(quote.id),
    timestamp: quote.atMs,
    corridor: `${quote.from}/${quote.to}`,
    from: quote.from,
    to: quote.to,
    provider_id: quote.providerId,
    provider_name: providerName,
    rate: quote.rate,
    fee: quote.fee,
    fee_currency: quote.feeCurrency,
    rate_type: quote.rateType,
    evidence: quote.evidence,
    notes: quote.notes,
    offer_id,
    source_country: offer?.source_country,
    target_country: offer?.target_country,
    pay_in: offer?.pay_in?.join(LISTED),
    pay_out: offer?.pay_out?.join(LISTED),
    channel: offer?.channel,
    amount_min: offer?.amount_min,
    amount_max: offer?.amount_max,
    service: offer?.service,
    fee_percent: offer?.fee_percent,
    delivery_min: offer?.delivery_min,
    delivery_max: offer?.delivery_max,
    valid_until: quote.offer?.validUntilMs,
    mid_rate: mid && roundAmount(mid.rate),
    mid_source: mid?.source,
    mid_fetched_at: mid?.atMs,
    recorded_at: quote.recordedMs,
    recorded_via: quote.recordedVia,
    withdrawn_at: quote.withdrawn?.atMs,
    withdrawn_reason: quote.withdrawn?.reason,
  }
}

/** What separates the ways of paying in a cell, as in CSV. */
const LISTED = '|'
