import { parse } from 'csv-parse/sync'
import type { Json, SchemaCheck } from './json-schema.ts'

export type Column = { readonly name: string; readonly separator?: string; readonly schema: Json }

/** A medium of a list, as its document describes it. */
export type RowMedia = Json & { readonly 'x-columns'?: readonly Column[] }

type Reply = { readonly headers: Headers; readonly text: string }
type Row = Readonly<Record<string, unknown>>

/** Differences of a reply's rows from the documented columns; nothing if they fit. */
export function rowFaults(
  content: Readonly<Record<string, RowMedia>>,
  { headers, text }: Reply,
  check: SchemaCheck,
): string[] {
  const columns = content['text/csv']?.['x-columns']
  if (!columns) return ['the columns are not documented']
  const isCsv = headers.get('content-type')!.startsWith('text/csv')
  const rows = isCsv ? csvRows(text, columns) : ndjsonRows(text)
  const heads = isCsv ? [csvHead(text)] : rows.map((row) => Object.keys(row))
  const documented = columns.map(({ name }) => name).join()
  return [
    ...heads
      .filter((names) => names.join() !== documented)
      .map((names) => `there are columns ${names}`),
    ...rows.flatMap((row) =>
      columns.flatMap((column) => cellFaults(column, row[column.name] ?? null, check)),
    ),
  ]
}

function cellFaults({ name, separator, schema }: Column, value: unknown, check: SchemaCheck) {
  const items = separator && value !== null ? [value].flat() : [value]
  return items.flatMap((item) => check.faults(schema, item, name))
}

export const ndjsonRows = (text: string): Row[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const linesOf = (text: string): string[][] => parse(text, { record_delimiter: '\r\n' })

const csvHead = (text: string): string[] => linesOf(text)[0] ?? []

/** Rows of a CSV, each cell as the kind of value that its column is said to have. */
export function csvRows(text: string, columns: readonly Column[]): Row[] {
  const [header = [], ...lines] = linesOf(text)
  return lines.map((cells) =>
    Object.fromEntries(header.map((name, i) => [name, kindOf(cells[i]!, columns[i])])),
  )
}

function kindOf(text: string, column: Column | undefined): unknown {
  if (text === '') return null
  if (column?.separator) return text.split(column.separator)
  const [type] = [column?.schema.type].flat()
  if (type === 'number' || type === 'integer') return Number(text)
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  return text.replace(/^'(?=[=+\-@\t\r])/, '')
}
