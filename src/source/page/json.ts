import { FeedError } from '~/domain/feed/feed.ts'
import { jsonOf } from '~/feed/document.ts'

/** A row of a JSON response: an object, or a list whose indexes are its names. */
export type JsonRow = Readonly<Record<string, unknown>>

/**
 * The rows of a JSON response: the response itself, or the list in one of its fields.
 *
 * Numbers are read as doubles. Banks state at most 12 digits, and a double preserves 15. Throws a
 * FeedError for anything but a list of objects or lists.
 */
export function jsonRows(text: string, member?: string): JsonRow[] {
  const answer = jsonOf(text)
  const list = member === undefined ? answer : isRow(answer) && answer[member]
  if (!Array.isArray(list) || !list.every(isRow))
    throw new FeedError('malformed', `returned JSON without the list ${member ?? 'of rows'}`)
  return list
}

const isRow = (value: unknown): value is JsonRow => typeof value === 'object' && value !== null

/** A field of a row: a string, or a number as it was written. Throws for anything else. */
export function memberOf(row: JsonRow, name: string): string {
  const value = Object.hasOwn(row, name) ? row[name] : undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw new FeedError('malformed', `gives rows without ${name}`)
}
