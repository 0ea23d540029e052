import { expect } from 'bun:test'
import type { Json } from '../support/json-schema.ts'
import { type Column, csvRows, ndjsonRows } from '../support/rows.ts'

/** The field that holds the entries of each list that is also available as rows. */
export const ENTRIES: Readonly<Record<string, string>> = {
  '/rates': 'providers',
  '/convert': 'providers',
  '/corridors': 'corridors',
  '/costs': 'offers',
  '/rates/provider': 'corridors',
  '/historical': 'providers',
  '/official': 'rates',
  '/time-series': 'data',
  '/rates/history': 'data',
}

/** Fields of a response that its rows do not have: they are about the page or the window. */
const LEFT_OUT =
  /^(count|suspect|best(_current)?|limit|offset|order|period|has_more|(from|to)_date)$/

/** Nested fields, under the names of their columns. */
function flat(value: unknown, path: string[] = []): [string, unknown][] {
  if (Array.isArray(value)) {
    const isOfRecords = value.some((item) => typeof item === 'object')
    return isOfRecords ? [] : [[nameOf(path), value]]
  }
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, inner]) => flat(inner, [...path, name]))
  return [[nameOf(path), value]]
}

const nameOf = (path: string[]): string => path.join('_').replace('provider_provider_', 'provider_')

/**
 * Fails unless the rows hold everything that the JSON response to the same request holds, row by
 * row.
 */
export function expectRows(
  path: string,
  { body, rows }: { body: Record<string, unknown>; rows: readonly Record<string, unknown>[] },
): void {
  const entries = body[ENTRIES[path]!] as Record<string, unknown>[]
  const { [ENTRIES[path]!]: _, ...about } = body
  const isSeries = path === '/time-series'
  const whole = Object.entries(about)
    .filter(([name]) => !LEFT_OUT.test(name) && !(isSeries && /^(start|end)$/.test(name)))
    .flatMap(([name, value]) => flat(value, [name]))
  expect(rows).toHaveLength(entries.length)
  for (const [i, entry] of entries.entries()) {
    const known = new Map(
      [...flat(entry), ...whole].filter(([name]) => !name.startsWith('smart_offers')),
    )
    for (const [name, cell] of Object.entries(rows[i]!)) {
      if (name.startsWith('is_') && !known.has(name)) continue
      expect([name, cell]).toEqual([name, known.get(name) ?? null])
      known.delete(name)
    }
    expect([...known].filter(([, value]) => value !== null)).toEqual([])
  }
}

/** The rows of a string in a format, by the documented columns. */
export const rowsIn = (format: 'csv' | 'ndjson', text: string, columns: readonly Column[]) =>
  format === 'csv' ? csvRows(text, columns) : ndjsonRows(text)

/** The columns of a list by a document. */
export function columnsIn(document: Json, path: string): readonly Column[] {
  // biome-ignore lint/suspicious/noExplicitAny: a document is whatever it is
  const { get } = (document as any).paths[path]
  return get.responses[200].content['text/csv']['x-columns']
}
