import type { QuarterRow, SourceRows } from './rows.ts'

/** Codes a source uses that name no money one could quote today; their rows are left out. */
const CODES_LEFT_OUT: Readonly<Record<string, string>> = {
  CMD: 'not an ISO 4217 code; the rates repeat those of USD digit for digit',
  IEP: 'the Irish pound ended in 2002; its rate contradicts the fixed 0.787564 IEP per EUR',
}

/** Currencies whose mids the feed gets wrong; nothing is reckoned with them. */
const MIDS_LEFT_OUT: Readonly<Record<string, string>> = {
  SSP: 'wrong on some days: 130 a dollar beside 1,550',
}

type LeftOut = { file: string; what: string; rows: number; reason: string }

/** The rows that the sample is made from, and what was left out of them, by file and reason. */
export function keptRows(read: SourceRows): { rows: SourceRows; leftOut: LeftOut[] } {
  const leftOut = [
    ...Object.entries(CODES_LEFT_OUT).map(([code, reason]) => ({
      file: 'quotes_central_banks.csv',
      what: code,
      rows: read.official.filter(({ from, to }) => from === code || to === code).length,
      reason,
    })),
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
  const official = read.official.filter((row) =>
    [row.from, row.to].every((code) => !(code in CODES_LEFT_OUT)),
  )
  const mids = read.mids.filter(({ currency }) => !(currency in MIDS_LEFT_OUT))
  return { rows: { ...read, official, mids }, leftOut }
}

/** Whether the rate of a row was seen, not worked out: those of East Africa. */
export const isObserved = (row: QuarterRow): boolean => row.rate_derived === 'false'
