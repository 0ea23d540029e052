/** @jsxImportSource preact */
import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'
import { ListPages, offsetIn, placeText } from './list-pages.tsx'

/** The number of entries of a list that are on the operator's page at once. */
const LIST_PAGE = 10

type Props<Row> = {
  /** The parameter that says where the list begins, and the id of its heading. */
  readonly name: string
  readonly label: string
  readonly noun: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  /** The parameters of the page's address. */
  readonly params: URLSearchParams
}

/** A page of a list of any length; the last one where the list has become shorter than that. */
export function LongList<Row>({ name, label, noun, columns, rows, keyOf, params }: Props<Row>) {
  const last = Math.max(0, Math.ceil(rows.length / LIST_PAGE) - 1) * LIST_PAGE
  const offset = Math.min(offsetIn(params, name), last)
  const part = rows.slice(offset, offset + LIST_PAGE)
  const place = { offset, shown: part.length, total: rows.length }
  return (
    <>
      <p class="muted small">{placeText(place, noun)}</p>
      <RowTable label={`Table: ${label}`} columns={columns} rows={part} keyOf={keyOf} />
      <ListPages
        {...place}
        label={`Pages of: ${label}`}
        size={LIST_PAGE}
        hrefOf={(start) => `${PATHS.operator}?${name}=${start}#${name}`}
      />
    </>
  )
}
