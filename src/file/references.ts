import { currencyCode, USD } from '~/domain/currency.ts'
import { dateMsOf, instantOf } from '~/domain/instant.ts'
import type { ReferenceRow } from '~/domain/mid.ts'
import {
  RATE_MAX,
  RATE_MIN,
  SIGNIFICANT_DIGITS_MAX,
  significantDigits,
} from '~/domain/observation.ts'
import { isWithCommas, WITHOUT_COMMAS } from '~/wire/row/values.ts'
import type { CsvRecord } from './csv.ts'
import { csvTable } from './csv-table.ts'
import { type Batch, type Fault, linesOf } from './lines.ts'

const COLUMNS = ['fetched_at', 'source', 'currency', 'per_usd'] as const
const SOURCE_LENGTH_MAX = 100
const PLAIN_LINE = /^[^\p{Cc}\p{Cs}]+$/u

type Cells = Record<(typeof COLUMNS)[number], string>

/**
 * The rows of a CSV of reference rates in arrays, in the order of the file, and the lines that are
 * not rows.
 *
 * Holds a chunk of `bytes` at a time. Throws FileFault for a file no row of which can be read.
 */
export async function* readReferenceFile(
  bytes: AsyncIterable<Uint8Array>,
  nowMs: number,
): AsyncGenerator<Batch<ReferenceRow>> {
  const { header, records } = await csvTable(
    linesOf(bytes),
    COLUMNS.map((name) => [name]),
  )
  const indices = COLUMNS.map((name) => [name, header.indexOf(name)] as const)
  const cellsOf = (fields: readonly string[]) =>
    Object.fromEntries(indices.map(([name, index]) => [name, fields[index]!])) as Cells
  for await (const batch of records) {
    const rows: ReferenceRow[] = []
    const rejects: Fault[] = []
    for (const record of batch) {
      const faults: string[] = []
      const row = rowOf(record, { cellsOf, nowMs, faults })
      if (faults.length === 0 && row) rows.push(row)
      else rejects.push({ number: record.number, fault: faults.join('; ') })
    }
    yield { rows, rejects }
  }
}

type Reading = {
  readonly cellsOf: (fields: readonly string[]) => Cells
  readonly nowMs: number
  readonly faults: string[]
}

function rowOf({ fields, fault }: CsvRecord, reading: Reading): ReferenceRow | null {
  const { faults, nowMs } = reading
  if (fields === null || fault !== null) {
    faults.push(fault ?? '')
    return null
  }
  const { fetched_at, source, currency, per_usd } = reading.cellsOf(fields)
  const fetchedMs = instantOf(fetched_at) ?? dateMsOf(fetched_at)
  if (fetchedMs === null)
    faults.push('fetched_at must be an ISO-8601 date-time with offset, or a date')
  else if (fetchedMs > nowMs) faults.push('fetched_at must not be in the future')
  else if (fetchedMs < 0) faults.push('fetched_at must not be before 1970')
  if ([...source].length > SOURCE_LENGTH_MAX || !PLAIN_LINE.test(source))
    faults.push(`source must be a text of 1 to ${SOURCE_LENGTH_MAX} characters on one line`)
  const code = currencyCode(currency)
  if (code === null) faults.push('currency must be a code of 3 or 4 letters')
  checkPerUsd(per_usd, { code, faults })
  return { fetchedMs: fetchedMs ?? 0, source, currency: code ?? '', perUsd: per_usd }
}

function checkPerUsd(text: string, { code, faults }: { code: string | null; faults: string[] }) {
  const digits = significantDigits(text)
  const value = Number(text)
  if (isWithCommas(text)) faults.push(`per_usd must be ${WITHOUT_COMMAS}`)
  else if (digits === null || !(value >= RATE_MIN && value <= RATE_MAX))
    faults.push(`per_usd must be a number between ${RATE_MIN} and ${RATE_MAX}`)
  else if (digits > SIGNIFICANT_DIGITS_MAX)
    faults.push(`per_usd has more than ${SIGNIFICANT_DIGITS_MAX} significant digits`)
  else if (code === USD && value !== 1) faults.push('per_usd of USD must be 1')
}
