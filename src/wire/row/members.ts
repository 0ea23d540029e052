import type { TSchema } from '@sinclair/typebox'
import { meantBy } from '~/domain/naming/misspelling.ts'
import { presentOf } from '~/wire/list/columns.ts'
import { type RowReading, type RowRules, readObservationRow } from './observation.ts'
import { RateRow } from './schema.ts'

const FIELDS = Object.entries(RateRow.properties).map(
  ([name, schema]) => [name, presentOf(schema)] as const,
)

const namesOf = (is: (schema: TSchema) => boolean): readonly string[] =>
  FIELDS.flatMap(([name, schema]) => (is(schema) ? [name] : []))

export const ROW_MEMBERS = FIELDS.map(([name]) => name)
export const ROW_TIMES = namesOf(({ format }) => format === 'date-time')
export const ROW_FLAGS = namesOf(({ type }) => type === 'boolean')
export const ROW_NUMBERS = namesOf(({ type }) => type === 'number')
/** Fields that are lists; a CSV separates their words by `|`. */
export const ROW_LISTS = namesOf(({ type }) => type === 'array')
const KNOWN_MEMBERS: ReadonlySet<string> = new Set(ROW_MEMBERS)

/** Fields beyond this number are not checked; no row needs that many. */
const MEMBERS_MAX = 100
const ECHO_LENGTH_MAX = 40

/** A row that could not be read as an object, with the reason. */
export class MisreadRow {
  constructor(readonly fault: string) {}
}

type SentReading = RowReading & { readonly unread: readonly string[] }

/**
 * Reads one row that a person wrote as a JSON object, as `readObservationRow` does, and checks its
 * field names.
 *
 * A misspelt name is an error: its value would be lost otherwise. Fields in `extra` are allowed.
 */
export function readSentRow(
  row: unknown,
  { rules, extra = [] }: { rules: RowRules; extra?: readonly string[] },
): SentReading {
  if (row instanceof MisreadRow) return { observation: null, faults: [row.fault], unread: [] }
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row)
  const names = isObject ? Object.keys(row).filter((name) => name !== '') : []
  if (names.length > MEMBERS_MAX) return { observation: null, faults: [TOO_MANY], unread: [] }
  const unread = names.filter((name) => !KNOWN_MEMBERS.has(name) && !extra.includes(name))
  const misspelt = unread.flatMap((name) => misspellingOf(name) ?? [])
  const reading = readObservationRow(row, rules)
  if (misspelt.length === 0) return Object.assign(reading, { unread })
  return { observation: null, faults: [...misspelt, ...(reading.faults ?? [])], unread }
}

const TOO_MANY = `has more than ${MEMBERS_MAX} members; send those that a rate has`

/** Error of a misspelt field or column; null for a name meant as another thing. */
export function misspellingOf(name: string): string | null {
  const meant = meantBy(name, ROW_MEMBERS)
  return meant === null ? null : `${shownName(name)} is not read: did you mean ${meant}?`
}

/** A name of the sender's in the form in which it is repeated to them. */
export const shownName = (name: string): string =>
  JSON.stringify(name.length > ECHO_LENGTH_MAX ? `${name.slice(0, ECHO_LENGTH_MAX)}…` : name)
