import type { QuarterRow, SourceRows } from './rows.ts'

/** Currencies whose mids the feed gets wrong; nothing is reckoned with them. */
const MIDS_LEFT_OUT: Readonly<Record<string, string>> = {
  SSP: 'wrong on some days: 130 a dollar beside 1,550',
}

export type LeftOut = { file: string; what: string; rows: number; reason: string }

/** The rows that the sample is made from, and what was left out of them, by file and reason. */
export function keptRows(read: SourceRows): { rows: SourceRows; leftOut: LeftOut[] } {
  const leftOut = [
    {
      file: 'quotes_rpw.csv',
      what: 'rate_derived',
      rows: read.quarters.filter((row) => !isObserved(row)).length,
      reason: 'the survey of 2025 Q3, which rpw_2025q3.csv has whole',
    },
    ...Object.entries(MIDS_LEFT_OUT).map(([code, reason]) => ({
      file: 'reference_currency_api.csv',
      what: code,
      rows: read.mids.filter(({ currency }) => currency === code).length,
      reason,
    })),
  ]
  const mids = read.mids.filter(({ currency }) => !(currency in MIDS_LEFT_OUT))
  return { rows: { ...read, mids }, leftOut }
}

/** Reports whether the rate of a row was seen, not worked out: those of East Africa. */
export const isObserved = (row: QuarterRow): boolean => row.rate_derived === 'false'
