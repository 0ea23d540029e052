import { Parser } from 'htmlparser2'
import { FeedError } from '~/domain/feed/feed.ts'
import { byTitle, titledRows } from './titled-rows.ts'

type Table = string[][]
/** A cell as it is written: its text, and the number of rows that it reaches over. */
type Written = { text: string; readonly span: number }

/** Repeated cells of a page, which could be many more than it has characters. */
const REPEATED_MAX = 1_000_000

/**
 * The page's first table that has these columns: its heading, and the rows of as many cells below
 * it.
 *
 * Throws a FeedError where no table has them all, or one does not end: the page was cut off.
 */
export function pageTable(page: string, columns: readonly string[]) {
  const { header, rows } = titledRows(tablesOf(page), columns)
  return { header, rows: rows.filter(({ length }) => length === header.length) }
}

/** The rows of `pageTable`, by the names in its heading. */
export function tableRows(
  page: string,
  columns: readonly string[],
): Readonly<Record<string, string>>[] {
  const { header, rows } = pageTable(page, columns)
  return rows.map((row) => byTitle(header, row))
}

/**
 * The tables of a page: the text of each cell, entities read and white space as single spaces. A
 * cell that reaches over several rows is in each of them.
 */
function tablesOf(page: string): Table[] {
  const tables: Written[][][] = []
  const open: Written[][][] = []
  const parser = new Parser({
    onopentag(name, { rowspan }) {
      if (name === 'table') open.push(tables[tables.push([]) - 1]!)
      else if (name === 'tr') open.at(-1)?.push([])
      else if (name === 'td' || name === 'th')
        open
          .at(-1)
          ?.at(-1)
          ?.push({ text: '', span: Number(rowspan) || 1 })
    },
    ontext(text) {
      const cell = open.at(-1)?.at(-1)?.at(-1)
      if (cell) cell.text += text
    },
    onclosetag(name, isImplied) {
      if (name !== 'table') return
      if (isImplied) throw new FeedError('malformed', 'returned a page that ends in its table')
      open.pop()
    },
  })
  parser.end(page)
  const room = { repeated: REPEATED_MAX }
  return tables.map((rows) => repeated(rows, room).filter(({ length }) => length > 0))
}

/** The rows with the cells of rows above that reach into them. */
function repeated(rows: readonly (readonly Written[])[], room: { repeated: number }): Table {
  const above: { readonly text: string; left: number }[] = []
  return rows.map((cells) => {
    const row: string[] = []
    let next = 0
    for (let at = 0; next < cells.length || (above[at]?.left ?? 0) > 0; at++) {
      const reaching = above[at]
      if (reaching && reaching.left > 0) {
        if (--room.repeated < 0)
          throw new FeedError('too_large', 'has cells over more rows than any table')
        reaching.left--
        row.push(reaching.text)
        continue
      }
      const { text, span } = cells[next++]!
      row.push(folded(text))
      above[at] = { text: row.at(-1)!, left: span - 1 }
    }
    return row
  })
}

/** The value of a hidden field of a form; throws a FeedError where the page has none. */
export function hiddenField(page: string, name: string): string {
  let value: string | undefined
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (tag === 'input' && attributes.name === name) value ??= attributes.value
    },
  })
  parser.end(page)
  if (!value) throw new FeedError('malformed', 'has no form with the required token')
  return value
}

/** The text outside of tags, white space as single spaces. */
export function plainText(page: string): string {
  const parts: string[] = []
  const parser = new Parser({ ontext: (text) => parts.push(text) })
  parser.end(page)
  return folded(parts.join(''))
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim()
