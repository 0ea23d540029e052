import type { Evidence } from '~/domain/price/evidence.ts'

/** Stored form of evidence: nothing for an observed price. */
export const storedEvidence = (evidence: Evidence): Evidence | null =>
  evidence === 'observed' ? null : evidence

/** A Postgres array literal of strings; the server casts each to the array's type. */
export function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(arrayElement).join(',')}}`
}

function arrayElement(value: string | number | null): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`
}

/** A `timestamptz` in the server's input format, exact to the millisecond. */
export const instantText = (ms: number): string => new Date(ms).toISOString()

/** `instantText` with Postgres's words for the ends of time. */
export const boundText = (ms: number): string =>
  Number.isFinite(ms) ? instantText(ms) : ms < 0 ? '-infinity' : 'infinity'

/** One row of COPY's text format with its line end; null becomes `\N`. */
export function copyLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map(copyField).join('\t')}\n`
}

const COPY_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function copyField(value: string | number | null): string {
  if (value === null) return '\\N'
  if (typeof value === 'number') return String(value)
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (c) => COPY_ESCAPES[c]!) : value
}

/** A LIKE pattern that matches values that contain the string; its `%` and `_` are literal. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/** The value of a JSON text; null if it is not one. */
export function jsonIn<T>(text: string): T | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
