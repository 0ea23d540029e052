import { FeedError } from '~/domain/feed/feed.ts'
import { documentOf, refuseMissing } from './document.ts'
import { type Expression, expressionOf } from './expression.ts'
import type { Connector } from './schema.ts'

/** The maximum number of rows of one response, file or run. */
export const ROWS_MAX = 10_000
/** The maximum length of a value in characters; no field of a price is as long. */
const VALUE_LENGTH_MAX = 4096

/** The maximum significant digits of a number in a price; calculated numbers have more. */
const DIGITS_MAX = 12

/** Parameters of a request: the value of each name in its address. */
export type Ask = Readonly<Record<string, string | number>>

/** The values of the expressions of one row, and why others have none. */
type ReadRow = {
  readonly values: Readonly<Record<string, unknown>>
  readonly faults: readonly string[]
}

/** Rows of one response or file. */
export type Page = {
  readonly rows: readonly ReadRow[]
  /** Address of the next page; null for the last one. */
  readonly next: string | null
}

/**
 * The rows of one response or file, as the expressions of a connector read them: strings, numbers,
 * flags, null, and lists of these. Throws a FeedError.
 */
export async function pageOf(bytes: Uint8Array, connector: Connector, ask: Ask): Promise<Page> {
  const { value, header } = await documentOf(bytes, connector)
  const found = await foundBy('rows', expressionOf(connector.rows ?? '$'), value)
  const rows = found === undefined ? [] : Array.isArray(found) ? found : [found]
  if (rows.length > ROWS_MAX) throw new FeedError('too_large', `gives more than ${ROWS_MAX} rows`)
  if (header !== null) refuseMissing(connector, [header, ...rows.map(namesOf)])
  const members = Object.entries(connector.row).map(
    ([name, text]) => [name, expressionOf(text)] as const,
  )
  const read: ReadRow[] = []
  for (const row of rows) read.push(await readRow(row, members, ask))
  const { pages } = connector.from
  const next = pages ? await foundBy('pages.next', expressionOf(pages.next), value) : null
  return { rows: read, next: typeof next === 'string' && next !== '' ? next : null }
}

const namesOf = (row: unknown): string[] =>
  typeof row === 'object' && row !== null ? Object.keys(row) : []

const foundBy = (name: string, expression: Expression, document: unknown) =>
  expression.valueIn(document).catch((error: Error) => {
    throw new FeedError('malformed', `: ${name} ${error.message}`)
  })

type Member = readonly [name: string, expression: Expression]

async function readRow(row: unknown, members: readonly Member[], ask: Ask): Promise<ReadRow> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  const isObject = typeof row === 'object' && row !== null && !Array.isArray(row)
  const input = isObject ? { ...row, ask } : { value: row, ask }
  for (const [name, expression] of members)
    try {
      values[name] = plain(await expression.valueIn(input))
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`)
    }
  return { values, faults }
}

/** A value that can be passed to another thread. Throws if it is not a value of a price. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'string' && value.length > VALUE_LENGTH_MAX)
    throw new Error(`gives more than ${VALUE_LENGTH_MAX} characters`)
  if (typeof value === 'object' && value !== null)
    throw new Error('gives an object, and not a string or a number')
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS_MAX)) : (value ?? null)
}
