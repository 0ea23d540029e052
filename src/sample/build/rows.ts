import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/** A row of `quotes_rpw.csv`: one offer of one provider, priced by a mystery shopper. */
export type SurveyRow = {
  provider_name: string
  provider_type: string
  from: string
  to: string
  rate: string
  fee: string
  fee_currency: string
  date: string
  delivery: string
  send_amount: string
  payment: string
  pickup: string
  rate_derived: string
}

/** A row of `quotes_central_banks.csv`: a rate as the central bank published it. */
export type OfficialRow = {
  provider_name: string
  provider_type: string
  rate_type: string
  from: string
  to: string
  rate: string
  date: string
  note: string
}

/** A row of `reference_usd_daily.csv`. */
type DailyRow = { date: string; currency: string; per_usd: string; source: string }

/** A row of `reference_usd_hourly.csv`. */
type HourlyRow = { fetched_at: string; currency: string; per_usd: string; source: string }

/** The four files the sample is made from, every field as the text it was. */
export type SourceRows = {
  survey: SurveyRow[]
  official: OfficialRow[]
  daily: DailyRow[]
  hourly: HourlyRow[]
}

/** Reads the four files of `directory`; a missing file or a ragged row throws. */
export function sourceRows(directory: string): SourceRows {
  return {
    survey: rowsOf(directory, 'quotes_rpw.csv'),
    official: rowsOf(directory, 'quotes_central_banks.csv'),
    daily: rowsOf(directory, 'reference_usd_daily.csv'),
    hourly: rowsOf(directory, 'reference_usd_hourly.csv'),
  }
}

function rowsOf<Row>(directory: string, name: string): Row[] {
  return parse(readFileSync(join(directory, name)), { columns: true }) as Row[]
}

/** One line of CSV. The sample is read back by splitting at commas, so nothing may need quoting. */
export function plainCsvLine(fields: readonly string[]): string {
  const awkward = fields.find((field) => /[",\r\n]/.test(field))
  if (awkward !== undefined) throw new Error(`a sample field would need quoting: ${awkward}`)
  return fields.join(',')
}

/** The order of two texts by their code units, the same on every machine. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
