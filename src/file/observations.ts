import type { Observation } from '~/domain/observation.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { parsedExactly } from '~/wire/ingest.ts'
import { type RowRules, readObservationRow, WrittenNumber } from '~/wire/observation-row.ts'
import { misspellingOf, ROW_MEMBERS, ROW_NUMBERS, readSentRow } from '~/wire/row-members.ts'
import { type CsvRecord, FileFault } from './csv.ts'
import { csvTable, type RequiredColumn } from './csv-table.ts'
import { type Line, linesOf } from './lines.ts'

/** A row that is no observation. */
export type Reject = {
  /** The line it starts on, counted from 1. */
  readonly number: number
  /** All that is wrong with it. */
  readonly fault: string
  /** What it said with the fault added, as a line of a file of the same format. */
  readonly copy: string
}

type ObservationBatch = {
  readonly rows: readonly Observation[]
  readonly rejects: readonly Reject[]
}

export type ObservationFile = {
  readonly format: 'csv' | 'ndjson'
  /** The first line of a file of rejects, or null where there is none. */
  readonly rejectsHeader: string | null
  /** Columns or members met so far that no observation has: at most a few, as they were met. */
  readonly unread: ReadonlySet<string>
  /** In the order of the file, of any size. */
  readonly batches: AsyncIterable<ObservationBatch>
}

const REQUIRED: readonly RequiredColumn[] = [
  ['provider_id'],
  ['from', 'source_currency'],
  ['to', 'target_currency'],
  ['rate'],
]
/** A number that JSON.stringify writes as it is given; the library's types do not know it yet. */
const exactNumber = (JSON as unknown as { rawJSON(text: string): object }).rawJSON

/** What a file of rejects adds to each row. */
const ERROR = 'error'
const COLUMNS = [...ROW_MEMBERS, ERROR]

const UNREAD_MAX = 20

/**
 * Opens a file of observations: one JSON object a line where the first character is `{`, else CSV.
 *
 * Each row follows the rules of `POST /rates`, numbers keep every digit, an empty field of a CSV is
 * absent. Holds a chunk of `bytes` at a time. Throws FileFault for a file no row of which can be
 * read.
 */
export async function openObservationFile(
  bytes: AsyncIterable<Uint8Array>,
  rules: RowRules,
): Promise<ObservationFile> {
  const { start, lines } = await peeked(linesOf(bytes))
  if (start === '') throw new FileFault('the file is empty')
  if (start === '[') throw new FileFault('the file is a JSON list: write one object a line instead')
  const unread = new Set<string>()
  if (start === '{') {
    const batches = jsonBatches(lines, { rules, unread })
    return { format: 'ndjson', rejectsHeader: null, unread, batches }
  }
  const { header, records } = await csvTable(lines, REQUIRED)
  noteUnread(unreadOf(header), unread)
  const reader = new CsvReader(header, rules)
  const { rejectsHeader } = reader
  return { format: 'csv', rejectsHeader, unread, batches: reader.batches(records) }
}

/** The columns that no row has. Throws FileFault for those that are misspelt. */
function unreadOf(header: readonly string[]): string[] {
  const unread = header.filter((name) => name !== '' && !COLUMNS.includes(name))
  const misspelt = unread.map(misspellingOf).filter((fault) => fault !== null)
  if (misspelt.length > 0) throw new FileFault(`in the header ${misspelt.join('; ')}`)
  return unread
}

function noteUnread(names: readonly string[], unread: Set<string>): void {
  for (const name of names) if (unread.size < UNREAD_MAX) unread.add(name)
}

/** The lines with those at the start left out that are blank, and the first character there is. */
async function peeked(lines: AsyncGenerator<Line[]>) {
  for (;;) {
    const { value, done } = await lines.next()
    if (done) return { start: '', lines }
    const index = value.findIndex(({ text, fault }) => fault !== null || text.trim() !== '')
    if (index < 0) continue
    const start = value[index]!.text.trimStart()[0] ?? '?'
    return { start, lines: prepended(value.slice(index), lines) }
  }
}

async function* prepended<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first
  yield* others
}

type JsonReading = { readonly rules: RowRules; readonly unread: Set<string> }

async function* jsonBatches(lines: AsyncIterable<Line[]>, reading: JsonReading) {
  for await (const batch of lines) {
    const rows: Observation[] = []
    const rejects: Reject[] = []
    for (const line of batch) {
      if (line.fault === null && line.text.trim() === '') continue
      const { observation, faults } = readJsonLine(line, reading)
      if (observation) rows.push(observation)
      else rejects.push(jsonReject(line, faults.join('; ')))
    }
    yield { rows, rejects }
  }
}

function readJsonLine({ text, fault }: Line, { rules, unread }: JsonReading) {
  if (fault !== null) return { observation: null, faults: [fault] }
  try {
    const reading = readSentRow(parsedExactly(text), { rules, extra: [ERROR] })
    if (reading.observation) noteUnread(reading.unread, unread)
    return reading
  } catch {
    return { observation: null, faults: ['is not valid JSON'] }
  }
}

function jsonReject({ number, text }: Line, fault: string): Reject {
  return { number, fault, copy: JSON.stringify({ ...membersOf(text), [ERROR]: fault }) }
}

/** What a line said, every number digit for digit; a line that is no object becomes one. */
function membersOf(text: string): object {
  try {
    const value = JSON.parse(text, (_key, member, context?: { source?: string }) =>
      typeof member === 'number' && context?.source ? exactNumber(context.source) : member,
    )
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  return { line: text }
}

class CsvReader {
  readonly rejectsHeader: string
  readonly #columns: readonly { name: string; index: number; isNumber: boolean }[]
  readonly #width: number
  /** Where a file of rejects that is imported again has its faults. */
  readonly #errorIndex: number
  /** Of a rejected row without its fault. */
  readonly #rejectsWidth: number

  constructor(
    header: readonly string[],
    private readonly rules: RowRules,
  ) {
    this.#columns = ROW_MEMBERS.map((name) => ({
      name,
      index: header.indexOf(name),
      isNumber: ROW_NUMBERS.includes(name),
    })).filter(({ index }) => index >= 0)
    this.#width = header.length
    this.#errorIndex = header.indexOf(ERROR)
    const names = header.filter((name) => name !== ERROR)
    this.#rejectsWidth = names.length
    this.rejectsHeader = csvLine([ERROR, ...names])
  }

  async *batches(records: AsyncIterable<CsvRecord[]>): AsyncGenerator<ObservationBatch> {
    for await (const batch of records) {
      const rows: Observation[] = []
      const rejects: Reject[] = []
      for (const record of batch) {
        const { observation, faults } = this.#read(record)
        if (observation) rows.push(observation)
        else rejects.push(this.#reject(record, faults.join('; ')))
      }
      yield { rows, rejects }
    }
  }

  #read({ fields, fault }: CsvRecord) {
    if (fields === null || fault !== null) return { observation: null, faults: [fault ?? ''] }
    const row: Record<string, unknown> = {}
    for (const { name, index, isNumber } of this.#columns) {
      const text = fields[index]!
      row[name] = text === '' ? null : isNumber ? new WrittenNumber(text) : text
    }
    return readObservationRow(row, this.rules)
  }

  /** Which field held an earlier fault is known where none is missing or too many before it. */
  #withoutFault(fields: readonly string[]): string[] {
    const isKnown = fields.length === this.#width || this.#errorIndex === 0
    return fields.filter((_, index) => !isKnown || index !== this.#errorIndex)
  }

  /**
   * The fault stands before the row, so that what was one field too many stays where it was, and
   * moves nothing into another column once it is mended.
   */
  #reject({ number, text, fields }: CsvRecord, fault: string): Reject {
    const row = fields === null ? [text] : this.#withoutFault(fields)
    while (row.length < this.#rejectsWidth) row.push('')
    return { number, fault, copy: csvLine([fault, ...row]) }
  }
}
