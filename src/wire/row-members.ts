import { meantBy } from '~/domain/misspelling.ts'
import { type RowReading, type RowRules, readObservationRow } from './observation-row.ts'

const ROW_TEXTS = [
  'provider_id',
  'from',
  'to',
  'source_currency',
  'target_currency',
  'fee_currency',
  'effective_from',
  'notes',
]
export const ROW_NUMBERS = ['rate', 'fee']
/** All that a row may say. */
export const ROW_MEMBERS = [...ROW_TEXTS, ...ROW_NUMBERS]

/** More are not looked at, and no row needs them. */
const MEMBERS_MAX = 100
const ECHO_LENGTH_MAX = 40

/** A row's reading, and those of its members that no row has, as they were sent. */
type SentReading = RowReading & { readonly unread: readonly string[] }

/**
 * One row that somebody wrote as a JSON object: `readObservationRow`, and its members besides.
 *
 * One that is misspelt is a fault: left out, its value would be lost. `extra` members may be there.
 */
export function readSentRow(
  row: unknown,
  { rules, extra = [] }: { rules: RowRules; extra?: readonly string[] },
): SentReading {
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row)
  const names = isObject ? Object.keys(row) : []
  if (names.length > MEMBERS_MAX) return { observation: null, faults: [TOO_MANY], unread: [] }
  const unread = names.filter((name) => !ROW_MEMBERS.includes(name) && !extra.includes(name))
  const misspelt = unread.map(misspellingOf).filter((fault) => fault !== null)
  const reading = readObservationRow(row, rules)
  if (misspelt.length === 0) return { ...reading, unread }
  return { observation: null, faults: [...misspelt, ...(reading.faults ?? [])], unread }
}

const TOO_MANY = `has more than ${MEMBERS_MAX} members; send those that a rate has`

/** What is wrong with the name of a member or column that no row has; null for another thing. */
export function misspellingOf(name: string): string | null {
  const meant = meantBy(name, ROW_MEMBERS)
  return meant === null ? null : `${shownName(name)} is not read: did you mean ${meant}?`
}

/** A name of the sender's as it is repeated to them. */
export const shownName = (name: string): string =>
  JSON.stringify(name.length > ECHO_LENGTH_MAX ? `${name.slice(0, ECHO_LENGTH_MAX)}…` : name)
