import { FeedError } from '~/domain/feed/feed.ts'
import { documentText, refuseWebPage } from '~/feed/document.ts'
import { FileFault } from '~/file/csv.ts'
import { csvTable } from '~/file/csv-table.ts'
import { linesOf } from '~/file/lines.ts'
import type { Connector } from './definition.ts'

/** What came in one answer or file: a JSON value, or the rows of a table by their headers. */
export type Document = {
  readonly value: unknown
  /** The headers of a table; null where there are none. */
  readonly headers: readonly string[] | null
}

/** Reads bytes in the format of a connector. Throws a FeedError for what is not whole. */
export async function documentOf(
  bytes: Uint8Array,
  { format, charset = 'utf-8' }: Pick<Connector, 'format' | 'charset'>,
): Promise<Document> {
  const text = documentText(bytes, charset)
  refuseWebPage(text)
  if (text.startsWith('PK\u0003\u0004'))
    throw new FeedError('malformed', 'is an Excel workbook, and the format says another')
  if (format === 'json') return { value: parsed(text), headers: null }
  if (format === 'ndjson') {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return { value: lines.map(parsed), headers: null }
  }
  return tableOf(text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FeedError('malformed', 'is not complete JSON')
  }
}

async function tableOf(text: string): Promise<Document> {
  try {
    const { header, records } = await csvTable(linesOf(once(text)), [])
    const rows: Record<string, string>[] = []
    for await (const batch of records)
      for (const { fields, fault, number } of batch) {
        if (fields === null || fault !== null)
          throw new FeedError('malformed', `has a line ${number} that ${fault}`)
        const cells = header.map((name, i): [string, string] => [name, fields[i]!])
        rows.push(Object.fromEntries(cells.filter(([name, cell]) => name !== '' && cell !== '')))
      }
    return { value: rows, headers: header }
  } catch (error) {
    if (error instanceof FileFault)
      throw new FeedError('malformed', `is no table: ${error.message}`)
    throw error
  }
}

async function* once(text: string) {
  yield Buffer.from(text)
}
