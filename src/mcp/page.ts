import { Type } from '@sinclair/typebox'

const ITEMS_MAX = 500

/** The length of lists unless requested otherwise. */
export const ITEMS = 50

/** The part of a list that is wanted. */
export type Slice = { readonly limit: number; readonly offset: number }

export const sliceFields = {
  limit: Type.Integer({
    minimum: 1,
    maximum: ITEMS_MAX,
    default: ITEMS,
    description: 'Most entries.',
  }),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Entries to skip.' }),
}

/** The fields besides the REST body of a result that does not hold the whole list. */
type PageFields = { next_offset?: number; note?: string }

export const sliced = <T>(all: readonly T[], { limit, offset }: Slice): T[] =>
  all.slice(offset, offset + limit)

/** A body of REST with the page's fields and further notes; all notes are one. */
export function paged<T extends object>(
  body: T & { readonly note?: string },
  page: PageFields,
  ...more: readonly (string | null)[]
) {
  const notes = [body.note, page.note, ...more].filter(
    (note) => note !== undefined && note !== null,
  )
  if (notes.length === 0) return { ...body, ...page }
  return { ...body, ...page, note: joined(notes) }
}

/** Notes in a row: the first as it is, each further one as a sentence of its own. */
function joined(notes: readonly string[]): string {
  if (notes.length === 1) return notes[0]!
  return notes
    .map((note) => (/[.!?]$/.test(note) ? note : `${note}.`))
    .map(upperFirst)
    .join(' ')
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Arguments of the next page, with `until` if the list would move meanwhile. */
export const againWith = (offset: number, until?: string): string =>
  `ask again with offset ${offset}${until ? ` and until ${until}` : ''} for the next`

/** A note on what was left out of lists of these lengths, by the name of their items; or empty. */
export function leftOut(
  lengths: Readonly<Record<string, number>>,
  slice: Slice & { readonly until?: string },
): PageFields {
  const end = slice.offset + slice.limit
  const lists = Object.entries(lengths)
  const isWhole = slice.offset === 0 && lists.every(([, length]) => length <= end)
  if (isWhole) return {}
  const hasMore = lists.some(([, length]) => length > end)
  const shown = lists.map(([what, length]) => shownOf(what, length, slice)).join(' and ')
  if (!hasMore) return { note: `this holds ${shown}` }
  return {
    next_offset: end,
    note: `this holds ${shown}; ${againWith(end, slice.until)}`,
  }
}

function shownOf(what: string, length: number, { limit, offset }: Slice): string {
  if (offset >= length) return `none of ${length} ${what}`
  return `${what} ${offset + 1} to ${Math.min(length, offset + limit)} of ${length}`
}
