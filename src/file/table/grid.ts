import { FeedError } from '~/domain/feed/feed.ts'
import { type CsvRecord, csvRecords, FileFault } from '~/file/csv.ts'
import { counted } from '~/file/csv-table.ts'
import { LINE_LENGTH_MAX, linesOf, utf16In } from '~/file/lines.ts'
import { sheetsOf } from '~/file/spreadsheet.ts'
import type { Cell } from '~/file/titled-rows.ts'
import { memberNamed } from './names.ts'

/** A row of a table as it was sent, an empty cell being an empty string. */
export type GridRow = {
  /** The line of a text, or the row of a sheet, from 1. */
  readonly number: number
  readonly cells: readonly Cell[]
  /** The reason why its cells cannot be separated; null if they can. */
  readonly fault: string | null
}

/** A table with named columns that a person sent. */
export type Grid = {
  readonly header: readonly string[]
  readonly rows: readonly GridRow[]
  /** Parts of the file that were not read, or need a look. */
  readonly notes: readonly string[]
}

export const GRID_ROWS_MAX = 10_000
const COLUMNS_MAX = 100
/** The maximum number of caption rows above a header. */
const HEADER_ROWS_MAX = 20
const SEPARATORS = ['\t', ';', ',', '|']
/** The line that gives Excel the separator of a CSV. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?(?:\n|$)/i

/**
 * The table in a file or in a pasted text: a workbook, or a text with a sign between its fields.
 *
 * Its header is the row near the top that names most columns of prices, else the first with two
 * cells. Throws FileFault for a file without such a table, or with too much in it.
 */
export async function gridOf(bytes: Uint8Array): Promise<Grid> {
  assertTable(bytes)
  return startsWith(bytes, ZIP) ? sheetGrid(bytes) : textGrid(textIn(bytes))
}

const ZIP = [0x50, 0x4b, 0x03, 0x04]
const OLE = [0xd0, 0xcf, 0x11, 0xe0]

const startsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, i) => bytes[i] === byte)

/** Throws FileFault for what is known not to be a table. */
function assertTable(bytes: Uint8Array): void {
  const has = (text: string, encoding: 'latin1' | 'utf16le') =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(text, 0, encoding)
  if (bytes.every((byte) => byte <= 0x20)) throw new FileFault('There is nothing in it.')
  if (startsWith(bytes, [...Buffer.from('%PDF')]))
    throw new FileFault('This is a PDF. Copy the table out of it and paste it, or ask for Excel.')
  if (startsWith(bytes, OLE) && has('EncryptedPackage', 'utf16le'))
    throw new FileFault(
      'This workbook is protected by a password. Save it without one, then send it again.',
    )
  if (startsWith(bytes, OLE))
    throw new FileFault(
      'This is a workbook of an Excel before 2007 (.xls). Save it as .xlsx, then send that.',
    )
  if (startsWith(bytes, ZIP) && has('application/vnd.oasis.opendocument', 'latin1'))
    throw new FileFault('This is an OpenDocument file. Save it as .xlsx, then send that.')
}

/** Decodes bytes as text, with notes on how it was read. */
function textIn(bytes: Uint8Array): { text: string; notes: string[] } {
  const utf16 = utf16In(bytes)
  if (utf16) return { text: new TextDecoder(utf16).decode(bytes), notes: [] }
  if (bytes.includes(0))
    throw new FileFault('This is neither an Excel workbook (.xlsx) nor a text with a table.')
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), notes: [] }
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes)
    return { text, notes: ['The text is not UTF-8. It was read as Windows-1252: check accents.'] }
  }
}

async function textGrid({ text, notes }: { text: string; notes: string[] }): Promise<Grid> {
  const lineEnds = text.replace(/\r(?!\n)/g, '\n')
  const [line = '', given] = SEPARATOR_LINE.exec(lineEnds) ?? []
  const plain = lineEnds.slice(line.length)
  if (/^\s*<(!doctype|html|table|\?xml)/i.test(plain))
    throw new FileFault('This is a web page. Open it in a browser, copy its table and paste that.')
  if (/^\s*(\{|\[\s*\{)/.test(plain))
    throw new FileFault(
      'This is JSON. Programs send that to POST /api/v1/rates; here, send a table.',
    )
  const separator = given ?? separatorOf(plain)
  const records: CsvRecord[] = []
  for await (const batch of csvRecords(linesOf([Buffer.from(plain)]), separator))
    records.push(...batch)
  const before = line === '' ? 0 : 1
  const rows = records.map(({ number, text, fields, fault }) => ({
    ...{ number: number + before, text, fault, fields },
    cells: fields?.map((field) => field.trim()) ?? [],
  }))
  const isPasted = separator === '\t'
  return titled(rows, notes, (row, width) => {
    if (row.fields === null) return { ...row, cells: [] }
    const fields = fitted(row.cells, isPasted ? width : 0)
    const { fault } = counted({ ...row, fields: fields.slice(0, widthOf(fields, width)) }, width)
    return { number: row.number, cells: fitted(fields, width).slice(0, width), fault }
  })
}

/** The width of a row without the empty fields beyond the header. */
const widthOf = (fields: readonly string[], width: number): number =>
  fields.slice(width).every((field) => field === '')
    ? Math.min(fields.length, width)
    : fields.length

/** The cells with as many empty ones behind them as are missing. */
const fitted = <T extends Cell>(cells: readonly T[], width: number): (T | '')[] => [
  ...cells,
  ...Array<''>(Math.max(0, width - cells.length)).fill(''),
]

/** The sign that names most columns of prices in a line near the top; of several, most columns. */
function separatorOf(text: string): string {
  const top = text.split('\n', HEADER_ROWS_MAX).map((line) => line.slice(0, LINE_LENGTH_MAX))
  const marks = SEPARATORS.map((separator) => {
    const lines = top.map((line) =>
      line.split(separator, COLUMNS_MAX).map((name) => name.replaceAll('"', '')),
    )
    const known = Math.max(...lines.map(knownIn))
    return known * COLUMNS_MAX * COLUMNS_MAX + Math.max(...lines.map(({ length }) => length))
  })
  return SEPARATORS[marks.indexOf(Math.max(...marks))]!
}

/** The number of cells of a row that name a column of prices, as far as a header may reach. */
const knownIn = (cells: readonly Cell[]): number =>
  cells
    .slice(0, COLUMNS_MAX)
    .filter((cell) => typeof cell === 'string' && memberNamed(cell) !== null).length

type Sheet = ReturnType<typeof sheetsOf>[number]

function sheetGrid(bytes: Uint8Array): Grid {
  const sheets = readSheets(bytes).filter(({ rows }) => rows.length > 0)
  const known = sheets.map(({ rows }) => Math.max(...rows.slice(0, HEADER_ROWS_MAX).map(knownOf)))
  const sheet = sheets[known.indexOf(Math.max(...known))]
  if (!sheet) throw new FileFault('There is nothing in this workbook.')
  const others = sheets.filter((one) => one !== sheet).map(({ name }) => `“${name}”`)
  const notes =
    others.length > 0 ? [`Only the sheet “${sheet.name}” is read, not ${others.join(', ')}.`] : []
  const rows = sheet.rows.map((row, i) => ({
    number: sheet.numbers[i]!,
    cells: Array.from(row, (cell = '') => (typeof cell === 'string' ? cell.trim() : cell)),
  }))
  return titled(rows, notes, ({ number, cells }, width) => {
    const surplus = cells.slice(width).some((cell) => cell !== '')
    const fault = surplus ? `has cells beyond the ${width} columns of the header` : null
    return { number, cells: fitted(cells.slice(0, width), width), fault }
  })
}

const knownOf = (row: Sheet['rows'][number]): number =>
  knownIn(Array.from(row, (cell = '') => cell))

function readSheets(bytes: Uint8Array): Sheet[] {
  try {
    return sheetsOf(bytes)
  } catch (error) {
    if (!(error instanceof FeedError)) throw error
    if (error.fault === 'too_large')
      throw new FileFault(`This workbook ${error.message}. Send only the sheet with the prices.`)
    throw new FileFault('This is not a whole Excel workbook. Open it in Excel and save it again.')
  }
}

type Sent = { readonly number: number; readonly cells: readonly Cell[] }

/** A table from its header on; `fit` makes a row as wide as that. */
function titled<T extends Sent>(
  all: readonly T[],
  notes: readonly string[],
  fit: (row: T, width: number) => GridRow,
): Grid {
  const filled = all.filter(({ cells }) => cells.length === 0 || cells.some((cell) => cell !== ''))
  const at = headerAt(filled)
  const header = filled[at]!.cells.map((cell) => String(cell).replace(/\s+/g, ' '))
  while (header.at(-1) === '') header.pop()
  if (header.length > COLUMNS_MAX)
    throw new FileFault(`There are ${header.length} columns; at most ${COLUMNS_MAX} are read.`)
  const below = filled.slice(at + 1)
  if (below.length === 0) throw new FileFault('There is no row below the names of the columns.')
  if (below.length > GRID_ROWS_MAX) throw new FileFault(tooMany(below.length))
  const skipped =
    at === 0 ? [] : [`The header is row ${filled[at]!.number}; nothing above it is read.`]
  const rows = below.map((row) => fit(row, header.length))
  return { header, rows, notes: [...notes, ...skipped] }
}

const tooMany = (count: number): string => {
  const [rows, max] = [count, GRID_ROWS_MAX].map((one) => one.toLocaleString('en'))
  return `${rows} rows are too many. Divide them: at most ${max} are recorded at once.`
}

function headerAt(rows: readonly Sent[]): number {
  const top = rows.slice(0, HEADER_ROWS_MAX)
  const known = top.map(({ cells }) => knownIn(cells))
  const most = Math.max(0, ...known)
  if (most > 0) return known.indexOf(most)
  const at = top.findIndex(({ cells }) => cells.filter((cell) => cell !== '').length > 1)
  if (at < 0) throw new FileFault('There is no table in it: no row has two cells.')
  if (top[at]!.cells.some((cell) => /^-?[\d.,]+$/.test(String(cell))))
    throw new FileFault(
      `Row ${top[at]!.number} has numbers where the names of the columns should be. ` +
        'Add a row above the prices with names such as provider, from, to and rate.',
    )
  return at
}
