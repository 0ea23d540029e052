import { type CsvRecord, csvRecords, FileFault } from './csv.ts'
import type { Line } from './lines.ts'

/** A column that is required; several names where any one of them will do. */
export type RequiredColumn = readonly [string, ...string[]]

type CsvTable = {
  /** The names of the columns, in their order. */
  readonly header: readonly string[]
  /** The records below the header; one of another length than the header has a fault. */
  readonly records: AsyncIterable<CsvRecord[]>
}

const COLUMNS_MAX = 1000
/** A number with commas between its thousands. */
const GROUPED = /(?<![\d.])\d{1,3}(,\d{3})+\.\d+(?![\d.])/

/**
 * A CSV with a header.
 *
 * Throws FileFault when there is no header, when it lacks a required column or names one twice.
 * Further columns are allowed.
 */
export async function csvTable(
  lines: AsyncIterable<Line[]>,
  required: readonly RequiredColumn[],
): Promise<CsvTable> {
  const batches = csvRecords(lines)
  const first = await batches.next()
  if (first.done) throw new FileFault('the file is empty: it must start with a header')
  const [top, ...rest] = first.value
  const header = headerOf(top!, required)
  return { header, records: records(rest, batches, header.length) }
}

async function* records(
  first: CsvRecord[],
  others: AsyncGenerator<CsvRecord[]>,
  columns: number,
): AsyncGenerator<CsvRecord[]> {
  yield first.map((record) => counted(record, columns))
  for await (const batch of others) yield batch.map((record) => counted(record, columns))
}

function counted(record: CsvRecord, columns: number): CsvRecord {
  const { fields } = record
  if (fields === null || fields.length === columns) return record
  const fault = `has ${fields.length} fields where the header has ${columns}`
  const [grouped] = fields.length > columns ? (GROUPED.exec(record.text) ?? []) : []
  if (!grouped) return { ...record, fault }
  const plain = grouped.replaceAll(',', '')
  return { ...record, fault: `${fault}: ${plain} has a comma between its thousands` }
}

function headerOf(record: CsvRecord, required: readonly RequiredColumn[]): string[] {
  if (record.fields === null)
    throw new FileFault(`line ${record.number}, the header, ${record.fault}`)
  const header = record.fields.map((name) => name.trim())
  if (header.length > COLUMNS_MAX)
    throw new FileFault(`the header has ${header.length} columns; at most ${COLUMNS_MAX} are read`)
  const missing = required.filter((names) => !names.some((name) => header.includes(name)))
  if (missing.length > 0 && required.every((names) => names.some((name) => isIn(name, record))))
    throw new FileFault(
      `line ${record.number}, the header, is divided by semicolons: ` +
        'save the file with commas, and numbers with a decimal point',
    )
  if (missing.length > 0)
    throw new FileFault(
      `line ${record.number}, the header, lacks ` +
        missing.map((names) => names.join(' or ')).join(', '),
    )
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) !== index)
  if (twice !== undefined)
    throw new FileFault(`line ${record.number}, the header, names ${JSON.stringify(twice)} twice`)
  return header
}

/** Whether a header has a name among those between its semicolons. */
const isIn = (name: string, { text }: CsvRecord): boolean =>
  text.split(';').some((part) => part.trim().replaceAll('"', '') === name)
