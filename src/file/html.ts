import { Parser } from 'htmlparser2'
import { FeedError } from '~/domain/feed/feed.ts'
import { byTitle, titledRows } from './titled-rows.ts'

type Table = string[][]

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

/** The tables of a page: the text of each cell, entities read and white space as single spaces. */
function tablesOf(page: string): Table[] {
  const tables: Table[] = []
  const open: Table[] = []
  const parser = new Parser({
    onopentagname(name) {
      if (name === 'table') open.push(tables[tables.push([]) - 1]!)
      else if (name === 'tr') open.at(-1)?.push([])
      else if (name === 'td' || name === 'th') open.at(-1)?.at(-1)?.push('')
    },
    ontext(text) {
      const row = open.at(-1)?.at(-1)
      if (row && row.length > 0) row[row.length - 1] += text
    },
    onclosetag(name, isImplied) {
      if (name !== 'table') return
      if (isImplied) throw new FeedError('malformed', 'returned a page that ends in its table')
      open.pop()
    },
  })
  parser.end(page)
  return tables.map((rows) => rows.map((row) => row.map(folded)).filter(({ length }) => length > 0))
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
