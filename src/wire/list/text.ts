import { csvRow, plainText } from '~/wire/csv-line.ts'
import type { Cell } from './columns.ts'
import type { RowFormat } from './format.ts'

/** Separates the items of a list in a CSV cell, as in imported files. */
const BAR = '|'

const CHUNK_ROWS = 500

type Form = {
  readonly names: readonly string[]
  readonly format: RowFormat
  readonly isContinued?: boolean
}

/** Writer of each format's lines, and the line before the first. */
type Writer = { readonly head: string; line(cells: readonly Cell[]): string }

/** Writes rows as strings, hundreds at a time, as CSV after the column names unless continued. */
export function* textsOf(
  rows: Iterable<readonly Cell[]>,
  { names, format, isContinued = false }: Form,
): Generator<string> {
  const { head, line } = writerOf[format](names)
  let [text, count] = [isContinued ? '' : head, 0]
  for (const cells of rows) {
    text += line(cells)
    count += 1
    if (count % CHUNK_ROWS > 0) continue
    yield text
    text = ''
  }
  if (text !== '' || count === 0) yield text
}

const writerOf: Readonly<Record<RowFormat, (names: readonly string[]) => Writer>> = {
  csv: (names) => ({ head: csvRow(names), line: (cells) => csvRow(cells.map(csvText)) }),
  ndjson: (names) => ({
    head: '',
    line: (cells) =>
      `${JSON.stringify(Object.fromEntries(names.map((name, i) => [name, cells[i]])))}\n`,
  }),
}

function csvText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return plainText(cell.join(BAR))
  return typeof cell === 'string' ? plainText(cell) : String(cell)
}
