import { FeedError } from '~/domain/feed/feed.ts'

/** Content of a cell: a string, or the number in a workbook. */
export type Cell = string | number

/** A row by position; a place without a cell is undefined. */
type Row<T extends Cell = Cell> = readonly (T | undefined)[]

type Titled<T extends Cell> = {
  /** The titles of the columns by position; empty for a column without one. */
  readonly header: readonly string[]
  readonly rows: readonly Row<T>[]
}

/** The minimum number of cells of a table's header; one cell alone is a caption. */
const HEADER_CELLS_MIN = 2

/**
 * The first table that has a row with all of these titles, from that row on. Columns go by their
 * titles, so that one may move. Throws a FeedError that names the missing titles.
 */
export function titledRows<T extends Cell>(
  tables: readonly (readonly Row<T>[])[],
  columns: readonly string[],
): Titled<T> {
  let closest = columns
  for (const rows of tables)
    for (const [at, row] of rows.entries()) {
      const header = Array.from(row, (cell) => String(cell ?? '').trim())
      const missing = columns.filter((column) => !header.includes(column))
      if (missing.length < closest.length) closest = missing
      const isHeader = header.filter((title) => title !== '').length >= HEADER_CELLS_MIN
      if (isHeader && missing.length === 0) return { header, rows: rows.slice(at + 1) }
    }
  const near = closest.length < columns.length ? `: ${closest.join(', ')} is missing` : ''
  const wanted = columns.length > 0 ? `the columns ${columns.join(', ')}` : 'a header'
  throw new FeedError('malformed', `has no table with ${wanted}${near}`)
}

/** A row by the titles of its columns. */
export const byTitle = <T extends Cell>(
  header: readonly string[],
  row: Row<T>,
): Readonly<Record<string, T>> =>
  Object.fromEntries(
    header.flatMap((title, index) => {
      const cell = row[index]
      return title === '' || cell === undefined ? [] : [[title, cell] as const]
    }),
  )
