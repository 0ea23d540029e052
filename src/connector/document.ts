import { FeedError } from '~/domain/feed/feed.ts'
import { documentText, refuseWebPage } from '~/feed/document.ts'
import { xmlElements, xmlValue } from '~/feed/xml.ts'
import { FileFault } from '~/file/csv.ts'
import { csvTable } from '~/file/csv-table.ts'
import { tableRows } from '~/file/html.ts'
import { linesOf } from '~/file/lines.ts'
import { sheetsOf } from '~/file/spreadsheet.ts'
import { byTitle, type Cell, titledRows } from '~/file/titled-rows.ts'
import type { Connector } from './definition.ts'
import { expressionOf } from './expression.ts'

/**
 * What came in one answer or file, in the format of a connector: a JSON value, the content of an
 * XML document, or the rows of a table by their headers. Throws a FeedError for what is not whole,
 * and for a table without a column that the expressions name.
 */
export async function documentOf(bytes: Uint8Array, connector: Connector): Promise<unknown> {
  const { format, charset = 'utf-8' } = connector
  if (format === 'xlsx') return sheetRowsOf(bytes, connector)
  const text = documentText(bytes, charset)
  if (format === 'html') return tableRows(text, columnsOf(connector)).map(filled)
  refuseWebPage(text)
  if (text.startsWith('PK\u0003\u0004'))
    throw new FeedError('malformed', 'is an Excel workbook, and the format says another')
  if (format === 'xml') return xmlValue(xmlElements(text.replace(/^\uFEFF/, ''))[0]!)
  if (format === 'json') return parsed(text)
  if (format === 'ndjson')
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parsed)
  return tableOf(text, columnsOf(connector))
}

/** The columns that the expressions look up; none are known where `rows` makes the rows. */
function columnsOf({ rows, row }: Connector): string[] {
  if (rows !== undefined) return []
  const named = Object.values(row).flatMap((text) => expressionOf(text).columns)
  return [...new Set(named)].filter((name) => name !== 'ask')
}

const OLD_WORKBOOK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

function sheetRowsOf(bytes: Uint8Array, connector: Connector) {
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
  return rows.map((row) => filled(byTitle(header, row)))
}

/** A row without its empty cells. */
const filled = (row: Readonly<Record<string, Cell>>) =>
  Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FeedError('malformed', 'is not complete JSON')
  }
}

async function tableOf(text: string, columns: readonly string[]) {
  try {
    const { header, records } = await csvTable(linesOf(once(text)), [])
    const missing = columns.filter((name) => !header.includes(name))
    if (missing.length > 0)
      throw new FeedError('malformed', `has no column ${missing.join(', ')} in its header`)
    const rows: Record<string, Cell>[] = []
    for await (const batch of records)
      for (const { fields, fault, number } of batch) {
        if (fields === null || fault !== null)
          throw new FeedError('malformed', `has a line ${number} that ${fault}`)
        rows.push(filled(byTitle(header, fields)))
      }
    return rows
  } catch (error) {
    if (error instanceof FileFault)
      throw new FeedError('malformed', `is no table: ${error.message}`)
    throw error
  }
}

async function* once(text: string) {
  yield Buffer.from(text)
}
