/** @jsxImportSource preact */

/** Beginning of a list on this page, and its full length. */
type Place = { readonly offset: number; readonly shown: number; readonly total: number }

const OFFSET = /^\d{1,9}$/

/** The number of entries that an address asks to skip; none unless it says so in plain digits. */
export function offsetIn(params: URLSearchParams, name: string): number {
  const text = params.get(name) ?? ''
  return OFFSET.test(text) ? Number(text) : 0
}

/** Which of all entries are shown, as `11 to 20 of 57 accounts`. */
export function placeText({ offset, shown, total }: Place, noun: string): string {
  const all = countText(total, noun)
  return shown === total ? all : `${offset + 1} to ${offset + shown} of ${all}`
}

export const countText = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

type Props = Place & {
  readonly label: string
  /** The number of entries that a page holds. */
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
