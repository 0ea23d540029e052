import { FeedError } from '~/domain/feed/feed.ts'
import { documentText, jsonOf, refuseWebPage } from '~/feed/document.ts'
import { xmlValue } from '~/feed/xml.ts'
import { FileFault } from '~/file/csv.ts'
import { csvTable } from '~/file/csv-table.ts'
import { pageTable } from '~/file/html.ts'
import { linesOf, utf16In } from '~/file/lines.ts'
import { sheetsOf } from '~/file/spreadsheet.ts'
import { byTitle, type Cell, titledRows } from '~/file/titled-rows.ts'
import { expressionOf } from './expression.ts'
import type { Connector } from './schema.ts'

/** Content of one response or file. */
type Document = {
  /** A JSON value, the content of an XML document, or the rows of a table by their headers. */
  readonly value: unknown
  /** The columns of a table; null for JSON and XML. */
  readonly header: readonly string[] | null
}

/**
 * Reads one response or file in the format of a connector. Throws a FeedError for incomplete
 * content, and for a table without a column that the expressions name.
 */
export async function documentOf(bytes: Uint8Array, connector: Connector): Promise<Document> {
  const { format, charset = 'utf-8' } = connector
  if (format === 'xlsx') return sheetOf(bytes, connector)
  const text = documentText(bytes, utf16In(bytes) ?? charset)
  if (format === 'html') {
    const { header, rows } = pageTable(text, columnsOf(connector))
    return tableOf(header, rows)
  }
  refuseWebPage(text)
  if (text.startsWith('PK\u0003\u0004'))
    throw new FeedError('malformed', 'is an Excel workbook, and the format says another')
  if (text.includes('\0'))
    throw new FeedError(
      'malformed',
      'has zero bytes: save it as UTF-8, or as UTF-16 with a byte order mark',
    )
  const value = (value: unknown): Document => ({ value, header: null })
  if (format === 'xml') return value(xmlValue(text))
  if (format === 'json') return value(jsonOf(text))
  if (format === 'csv' || format === 'tsv') return csvOf(text, connector)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return value(lines.map(jsonOf))
}

/**
 * Throws a FeedError for columns that the expressions look up in the rows of a table, but that are
 * neither in its header nor created by `rows`.
 */
export function refuseMissing({ row }: Connector, known: readonly (readonly string[])[]): void {
  const names = new Set(known.flat())
  const missing = lookedUp(row).filter((name) => !names.has(name))
  if (missing.length > 0)
    throw new FeedError('malformed', `has no column ${missing.join(', ')} in its header`)
}

/** The columns that the expressions look up; none are known if `rows` creates the rows. */
const columnsOf = ({ rows, row }: Connector): string[] => (rows === undefined ? lookedUp(row) : [])

function lookedUp(row: Connector['row']): string[] {
  const named = Object.values(row).flatMap((text) => expressionOf(text).columns)
  return [...new Set(named)].filter((name) => name !== 'ask')
}

const OLD_WORKBOOK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

function sheetOf(bytes: Uint8Array, connector: Connector): Document {
  if (OLD_WORKBOOK.equals(bytes.subarray(0, OLD_WORKBOOK.length)))
    throw new FeedError('malformed', 'is an old or locked workbook: save it as .xlsx, unlocked')
  const { sheet } = connector
  const sheets = sheetsOf(bytes)
  const wanted = sheets.filter(({ name }) => sheet === undefined || name === sheet)
  if (wanted.length === 0) {
    const names = sheets.map(({ name }) => name).join(', ')
    throw new FeedError('malformed', `has no sheet ${sheet}; its sheets are ${names}`)
  }
  const columns = columnsOf(connector)
  const { header, rows } = titledRows(
    wanted.map(({ rows }) => rows),
    columns,
  )
  const twice = columns.find((name) => header.indexOf(name) !== header.lastIndexOf(name))
  if (twice !== undefined)
    throw new FeedError('malformed', `has a header that names "${twice}" twice`)
  return tableOf(header, rows)
}

/** Rows of empty cells alone, which spreadsheets write below a table, are left out. */
const tableOf = (header: readonly string[], rows: readonly (readonly (Cell | undefined)[])[]) => ({
  header,
  value: rows
    .map((row) => filled(byTitle(header, row)))
    .filter((row) => Object.keys(row).length > 0),
})

/** A row without its empty cells. */
const filled = (row: Readonly<Record<string, Cell>>) =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => String(cell).trim() !== ''))

async function csvOf(text: string, connector: Connector): Promise<Document> {
  const columns = columnsOf(connector)
  // Excel for Mac can end lines with carriage returns alone.
  const lines = text.includes('\n') ? text : text.replaceAll('\r', '\n')
  try {
    const { header, records } = await csvTable(linesOf([Buffer.from(lines)]), [])
    const missing = columns.filter((name) => !header.includes(name))
    if (missing.length > 0)
      throw new FeedError('malformed', `has no column ${missing.join(', ')} in its header`)
    const rows: (readonly string[])[] = []
    for await (const batch of records)
      for (const { fields, fault, number } of batch) {
        const isUneven = fields !== null && fields.length !== header.length
        if (isUneven && connector.skip_uneven_lines) continue
        if (fields === null || fault !== null)
          throw new FeedError('malformed', `has a line ${number} that ${fault}`)
        rows.push(fields)
      }
    return tableOf(header, rows)
  } catch (error) {
    if (error instanceof FileFault)
      throw new FeedError('malformed', `is not a table: ${error.message}`)
    throw error
  }
}
