import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'

/** A row of `quotes_rpw.csv`: one offer of one provider, priced by a mystery shopper. */
export type QuarterRow = {
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

/** A row of `rpw_2025q3.csv`: what one offer costs, in percent of the amount. */
export type SurveyRow = {
  source_country: string
  target_country: string
  provider: string
  instrument: string
  access_point: string
  amount_usd: string
  fee_pct: string
  fx_margin_pct: string
  total_cost_pct: string
  transparent: string
}

/** A row of `reference_currency_api.csv`: units of a currency per US dollar on a day. */
export type MidRow = { date: string; currency: string; per_usd: string }

/** The three lists the sample is made from, every field as the text it was. */
export type SourceRows = {
  survey: SurveyRow[]
  quarters: QuarterRow[]
  mids: MidRow[]
}

/** The name in the survey of a company that the quarters spell in another way. */
const SURVEY_NAMES: Readonly<Record<string, string>> = {
  'BPR Bank Rwanda': 'BPR Bank Rwanda Plc',
  'TapTap Send': 'Taptap Send',
  'Yayeh Instant Services': 'YaYeh Instant Services',
}

/** Reads the three lists of `directory`; a missing file or a ragged row throws. */
export function sourceRows(directory: string): SourceRows {
  const quarters: QuarterRow[] = rowsOf(directory, 'quotes_rpw.csv')
  return {
    survey: rowsOf(directory, 'rpw_2025q3.csv'),
    quarters: quarters.map((row) => ({
      ...row,
      provider_name: SURVEY_NAMES[row.provider_name] ?? row.provider_name,
    })),
    mids: rowsOf(directory, 'reference_currency_api.csv'),
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
