import type { Corridor } from '~/domain/corridor.ts'

/**
 * Place of an event among all events of all processes: the position of its commit, and its place
 * among the events of that commit. A greater place comes later.
 */
export type EventId = { readonly position: number; readonly place: number }

/** The place after every event of a commit. */
export const END = Number.POSITIVE_INFINITY

/** The place of events without a corridor, before all others. */
export const GENERAL_PLACE = 0

/** Places that each corridor has for its events, wherever events are ordered by corridor. */
const ORDINALS = 4096

/** The ordinals of a mid, of the first quote, of the best, and of the end after all of them. */
export const ORDINAL = { mid: 0, quotes: 1, best: ORDINALS - 2, end: ORDINALS - 1 } as const

/** The id as a reader gets it; of a whole commit without a place. */
export const eventIdText = ({ position, place }: EventId): string =>
  place === END ? `${position}-` : `${position}-${place}`

/** The id in a string; null for a string that is not one of our ids. */
export function readEventId(text: string): EventId | null {
  const [, position, place] = /^(\d{1,16})-(\d{0,16})$/.exec(text) ?? []
  if (position === undefined || place === undefined) return null
  const id = { position: Number(position), place: place === '' ? END : Number(place) }
  const isExact = (count: number) => count === END || Number.isSafeInteger(count)
  return isExact(id.position) && isExact(id.place) ? id : null
}

/** The place of the quote that the row numbered `row`, from 0, of a commit recorded. */
export const rowPlace = (row: number): number => 2 * row

/** The place of the best of a corridor, of which `row` is the last row of a commit. */
export const bestPlace = (row: number): number => 2 * row + 1

/**
 * The place of a corridor's event in an order by corridor: by source, then target, then `ordinal`,
 * whatever other corridors there are. Always above `GENERAL_PLACE`.
 */
export const corridorPlace = ({ from, to }: Corridor, ordinal: number): number =>
  (codeNumber(from) * CODES + codeNumber(to)) * ORDINALS + ordinal

const LETTERS = 27
const CODE_LENGTH_MAX = 4
const CODES = LETTERS ** CODE_LENGTH_MAX

/** A code of up to four letters as a number; shorter codes come before those they begin. */
function codeNumber(code: string): number {
  let number = 0
  for (let i = 0; i < CODE_LENGTH_MAX; i++) number = number * LETTERS + letterNumber(code, i)
  return number
}

const letterNumber = (code: string, i: number): number =>
  i < code.length ? code.charCodeAt(i) - 'A'.charCodeAt(0) + 1 : 0
