import type { Observation } from '~/domain/observation.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { parsedExactly } from '~/wire/recording/ingest.ts'
import {
  misspellingOf,
  ROW_FLAGS,
  ROW_LISTS,
  ROW_MEMBERS,
  ROW_NUMBERS,
  ROW_TIMES,
  readSentRow,
} from '~/wire/row/members.ts'
import { Misread, type Notation, numberIn, timeIn } from '~/wire/row/notation.ts'
import { type RowReading, type RowRules, readObservationRow } from '~/wire/row/observation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { type CsvRecord, FileFault } from './csv.ts'
import { csvTable, type RequiredColumn } from './csv-table.ts'
import { type Line, linesOf, peeked } from './lines.ts'

/** A row that is not an observation. */
export type Reject = {
  /** The line it starts on, counted from 1. */
  readonly number: number
  /** Everything that is wrong with the row. */
  readonly fault: string
  /** The row's own content with the error added, as a line in the format of its file. */
  readonly copy: string
}

type ObservationBatch = {
  readonly rows: readonly Observation[]
  readonly rejects: readonly Reject[]
}

export type ObservationFile = {
  readonly format: 'csv' | 'ndjson'
  /** The first line of a file of rejects, or null if there is none. */
  readonly rejectsHeader: string | null
  /** Columns or fields that no observation has, in order of appearance; a few at most. */
  readonly unread: ReadonlySet<string>
  /** Batches of any size, in the order of the file. */
  readonly batches: AsyncIterable<ObservationBatch>
}

export type FileRules = RowRules & {
  /** Notation of numbers and times in a CSV; absent if it follows the API. */
  readonly notation?: Notation
  /**
   * Returns for each row, in order, why it is too far from the mid of its day to be recorded; null
   * if it is not. Absent if every rate is recorded.
   */
  implausible?(rows: readonly Observation[]): Promise<readonly (string | null)[]>
}

/** The columns without which a CSV has no observations. */
export const REQUIRED: readonly RequiredColumn[] = [
  ['provider_id'],
  ['from', 'source_currency'],
  ['to', 'target_currency'],
  ['rate'],
]
/** A number that JSON.stringify writes unchanged; the library's types do not know rawJSON yet. */
const exactNumber = (JSON as unknown as { rawJSON(text: string): object }).rawJSON

/** The column or field that a file of rejects adds to each row. */
const ERROR = 'error'
const COLUMNS = [...ROW_MEMBERS, ERROR]

/** Separates the words of a list in a field of a CSV. */
const BETWEEN_WORDS = '|'

const UNREAD_MAX = 20

/** First bytes of an Excel workbook, a ZIP archive. */
const ZIP = 'PK\u0003\u0004'
const WORKBOOK = 'the file is an Excel workbook: save its sheet as CSV UTF-8 and import that'

/**
 * Opens a file of observations: one JSON object a line if the first character is `{`, else CSV.
 *
 * Each row follows the rules of `POST /rates` and numbers keep every digit. In a CSV an empty field
 * is absent, `|` separates the words of a list, and numbers and times follow the notation. Holds a
 * chunk of `bytes` at a time. Throws FileFault for a file no row of which can be read.
 */
export async function openObservationFile(
  bytes: AsyncIterable<Uint8Array>,
  rules: FileRules,
): Promise<ObservationFile> {
  const { first, lines } = await peeked(linesOf(bytes))
  const start = first?.text.trimStart()[0] ?? ''
  if (first?.text.startsWith(ZIP)) throw new FileFault(WORKBOOK)
  if (first === null) throw new FileFault('the file is empty')
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

/** Columns that no row has. Throws FileFault for misspelt ones. */
function unreadOf(header: readonly string[]): string[] {
  const unread = header.filter((name) => name !== '' && !COLUMNS.includes(name))
  const misspelt = unread.map(misspellingOf).filter((fault) => fault !== null)
  if (misspelt.length > 0) throw new FileFault(`in the header ${misspelt.join('; ')}`)
  return unread
}

function noteUnread(names: readonly string[], unread: Set<string>): void {
  for (const name of names) if (unread.size < UNREAD_MAX) unread.add(name)
}

/** A row as it was read, and how it is rejected. */
type Read = { readonly reading: RowReading; reject(fault: string): Reject }

/** The batch of some rows in their order, without those that are implausible. */
export async function evaluated(
  read: readonly Read[],
  rules: FileRules,
): Promise<ObservationBatch> {
  const doubtful = read.flatMap(({ reading }) =>
    reading.observation && !reading.isAccepted ? [reading.observation] : [],
  )
  const doubts = rules.implausible ? await rules.implausible(doubtful) : []
  const faultOf = new Map(doubtful.map((row, i) => [row, doubts[i] ?? null]))
  const rows: Observation[] = []
  const rejects: Reject[] = []
  for (const { reading, reject } of read) {
    const fault = reading.observation
      ? (faultOf.get(reading.observation) ?? null)
      : reading.faults.join('; ')
    if (fault !== null) rejects.push(reject(fault))
    else rows.push(reading.observation!)
  }
  return { rows, rejects }
}

type JsonReading = { readonly rules: FileRules; readonly unread: Set<string> }

async function* jsonBatches(lines: AsyncIterable<Line[]>, reading: JsonReading) {
  for await (const batch of lines) {
    const lines = batch.filter(({ fault, text }) => fault !== null || text.trim() !== '')
    const read = lines.map((line) => ({
      reading: readJsonLine(line, reading),
      reject: (fault: string) => jsonReject(line, fault),
    }))
    yield evaluated(read, reading.rules)
  }
}

function readJsonLine({ text, fault }: Line, { rules, unread }: JsonReading): RowReading {
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

/** The members of a line, every number digit for digit; a bare value becomes `line`. */
function membersOf(text: string): object {
  try {
    const value = JSON.parse(text, (_key, member, context?: { source?: string }) =>
      typeof member === 'number' && context?.source ? exactNumber(context.source) : member,
    )
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  return { line: text }
}

/** A column that is read, and the value of a field that is not empty. */
type Column = {
  readonly name: string
  readonly index: number
  readonly parse: (text: string) => unknown
}

const FLAGS = new Map([
  ['true', true],
  ['false', false],
])

/** Parser of a column's field that is not empty. */
export function parserOf(name: string, notation?: Notation): Column['parse'] {
  if (ROW_NUMBERS.includes(name))
    return (text) => (notation ? numberIn(text, notation) : new WrittenNumber(text))
  if (notation && ROW_TIMES.includes(name)) return (text) => timeIn(text, notation)
  if (ROW_FLAGS.includes(name)) return (text) => FLAGS.get(text) ?? text
  if (ROW_LISTS.includes(name))
    return (text) => text.split(BETWEEN_WORDS).map((word) => word.trim())
  return (text) => text
}

class CsvReader {
  readonly rejectsHeader: string
  readonly #columns: readonly Column[]
  readonly #width: number
  /** The index of the errors' column in a file of rejects that is imported again. */
  readonly #errorIndex: number
  /** The number of fields that a rejected row has without its error. */
  readonly #rejectsWidth: number

  constructor(
    header: readonly string[],
    private readonly rules: FileRules,
  ) {
    this.#columns = ROW_MEMBERS.map((name) => ({
      name,
      index: header.indexOf(name),
      parse: parserOf(name, rules.notation),
    })).filter(({ index }) => index >= 0)
    this.#width = header.length
    this.#errorIndex = header.indexOf(ERROR)
    const names = header.filter((name) => name !== ERROR)
    this.#rejectsWidth = names.length
    this.rejectsHeader = csvLine([ERROR, ...names])
  }

  async *batches(records: AsyncIterable<CsvRecord[]>): AsyncGenerator<ObservationBatch> {
    for await (const batch of records) {
      const read = batch.map((record) => ({
        reading: this.#read(record),
        reject: (fault: string) => this.#reject(record, fault),
      }))
      yield evaluated(read, this.rules)
    }
  }

  #read({ fields, fault }: CsvRecord): RowReading {
    if (fields === null || fault !== null) return { observation: null, faults: [fault ?? ''] }
    const row: Record<string, unknown> = {}
    const faults: string[] = []
    for (const { name, index, parse } of this.#columns) {
      const text = fields[index]!
      const value = text === '' ? null : parse(text)
      if (value instanceof Misread) faults.push(`${name} ${value.fault}`)
      else row[name] = value
    }
    if (faults.length > 0) return { observation: null, faults }
    return readObservationRow(row, this.rules)
  }

  /**
   * The row without the error of an earlier import, whose field is known only if no field before it
   * is missing or surplus.
   */
  #withoutFault(fields: readonly string[]): string[] {
    const isKnown = fields.length === this.#width || this.#errorIndex === 0
    return fields.filter((_, index) => !isKnown || index !== this.#errorIndex)
  }

  /** Puts the error before the row, so that a surplus field shifts no column once corrected. */
  #reject({ number, text, fields }: CsvRecord, fault: string): Reject {
    const row = fields === null ? [text] : this.#withoutFault(fields)
    while (row.length < this.#rejectsWidth) row.push('')
    return { number, fault, copy: csvLine([fault, ...row]) }
  }
}
