import { type CsvRecord, csvRecords, FileFault } from './csv.ts'
import { LINE_LENGTH_MAX, type Line, peeked } from './lines.ts'

/** A column that is required; several names where any one of them will do. */
export type RequiredColumn = readonly [string, ...string[]]

type CsvTable = {
  readonly header: readonly string[]
  /** The records below the header; one of another length than the header has an error. */
  readonly records: AsyncIterable<CsvRecord[]>
}

const COLUMNS_MAX = 1000
/** A number with commas between its thousands; none that is read has more of them. */
const GROUPED = /(?<![\d.])\d{1,3}(,\d{3}){1,6}\.\d+(?![\d.])/

/** Possible separators; the first that divides a header into its columns is used. */
const SEPARATORS = [',', ';', '\t']

/**
 * A CSV with a header, divided by commas, semicolons or tabs.
 *
 * Throws FileFault when there is no header, when it lacks a required column or names one twice.
 * Further columns are allowed.
 */
export async function csvTable(
  lines: AsyncIterable<Line[]>,
  required: readonly RequiredColumn[],
): Promise<CsvTable> {
  const { first: top, lines: all } = await peeked(lines)
  const batches = csvRecords(all, separatorOf(top?.text ?? '', required))
  const first = await batches.next()
  if (first.done) throw new FileFault('the file is empty: it must start with a header')
  const [head, ...rest] = first.value
  const header = headerOf(head!, required)
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

/** The record with what is wrong with the number of its fields. */
export function counted(record: CsvRecord, columns: number): CsvRecord {
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

/** The sign that gives most of the required columns; of several the one that gives most columns. */
function separatorOf(top: string, required: readonly RequiredColumn[]): string {
  const found = SEPARATORS.map((separator) => {
    const names = top.split(separator).map((name) => name.trim().replaceAll('"', ''))
    const there = required.filter((some) => some.some((name) => names.includes(name))).length
    return there * LINE_LENGTH_MAX + names.length
  })
  return SEPARATORS[found.indexOf(Math.max(...found))]!
}
