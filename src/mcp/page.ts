import { Type } from '@sinclair/typebox'

const PAGE_ITEMS = 50
export const PAGE_ITEMS_MAX = 500

/** The part of a list that is wanted. */
export type Slice = { readonly limit: number; readonly offset: number }

export const sliceFields = {
  limit: Type.Integer({
    minimum: 1,
    maximum: PAGE_ITEMS_MAX,
    default: PAGE_ITEMS,
    description: 'How many items of the list to show at most.',
  }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'How many items of the list to skip: the next_offset of the page before.',
  }),
}

/** The members that a result has besides the REST body when it does not hold the whole list. */
export const pageFields = {
  next_offset: Type.Optional(
    Type.Integer({ description: 'Present when more follows: ask again with it as offset.' }),
  ),
  note: Type.Optional(
    Type.String({
      description:
        'Present when something was left out, when the list is empty, or when the best price is ' +
        'stale: what, and why.',
    }),
  ),
}

type PageFields = { next_offset?: number; note?: string }

export const sliced = <T>(all: readonly T[], { limit, offset }: Slice): T[] =>
  all.slice(offset, offset + limit)

/** A body of REST with the page's members; the notes of both are one. */
export function paged<T extends { readonly note?: string }>(body: T, page: PageFields) {
  if (body.note === undefined || page.note === undefined) return { ...body, ...page }
  return { ...body, ...page, note: `${body.note} ${upperFirst(page.note)}` }
}

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** How to ask for the next page, with `until` where the list would move meanwhile. */
export const againWith = (offset: number, until?: string): string =>
  `ask again with offset ${offset}${until ? ` and until ${until}` : ''} for the next`

/**
 * A note on what was left out of lists of these lengths, by the name of their items; empty where
 * nothing was.
 */
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
