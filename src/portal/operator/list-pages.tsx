import { PATHS } from '~/portal/paths.ts'
import { type Column, RowTable } from '~/portal/row-table.tsx'

/** Beginning of a list on this page, and its full length. */
type Place = { readonly offset: number; readonly shown: number; readonly total: number }

const OFFSET = /^\d{1,9}$/

/** The number of entries that an address skips; 0 unless it is given in plain digits. */
export function offsetIn(params: URLSearchParams, name: string): number {
  const text = params.get(name) ?? ''
  return OFFSET.test(text) ? Number(text) : 0
}

/** The range of the entries shown, as `11 to 20 of 57 accounts`. */
export function placeText({ offset, shown, total }: Place, noun: string): string {
  const all = countText(total, noun)
  return shown === total ? all : `${offset + 1} to ${offset + shown} of ${all}`
}

export const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

type Props = Place & {
  readonly label: string
  readonly size: number
  hrefOf(offset: number): string
}

/** Links to the pages before and after; nothing if one page holds all. */
export function ListPages({ label, size, offset, shown, total, hrefOf }: Props) {
  const hasMore = offset + shown < total
  if (offset === 0 && !hasMore) return null
  return (
    <nav aria-label={label} class="actions">
      {offset > 0 && <a href={hrefOf(Math.max(0, offset - size))}>Previous</a>}
      {hasMore && <a href={hrefOf(offset + size)}>Next</a>}
    </nav>
  )
}

/** The number of entries of a list that are on the operator's page at once. */
const LIST_PAGE = 10

type LongListProps<Row> = {
  /** The parameter that says where the list begins, and the id of its heading. */
  readonly name: string
  readonly label: string
  readonly noun: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  readonly params: URLSearchParams
}

/** A page of a list of any length; the last one if the list has become shorter than that. */
export function LongList<Row>({
  name,
  label,
  noun,
  columns,
  rows,
  keyOf,
  params,
}: LongListProps<Row>) {
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
        hrefOf={(start) => {
          const places = new URLSearchParams(params)
          places.set(name, String(start))
          return `${PATHS.operator}?${places}#${name}`
        }}
      />
    </>
  )
}
