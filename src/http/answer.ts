import { preferred } from '~/wire/accept.ts'
import { csvLine } from '~/wire/csv-line.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import { isHeld } from './entity-tag.ts'
import { pathOf } from './path.ts'
import type { Headers } from './reply.ts'

type Row = Readonly<Record<string, unknown>>

/** Rows of an answer that are also offered alone, as CSV or as one JSON object a line. */
type Table = {
  /** The member of the body that holds the rows; in the body itself its list is empty. */
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** The values of a row by its columns, where these are not its members. */
  readonly cellsOf?: (row: Row) => Row
}

/** An answer that a caller may already hold. */
export type Answer = {
  readonly body: object
  /**
   * The content that tells one answer from another: all but what only follows the clock. Together
   * with the rows of the table it makes the entity tag.
   */
  readonly basis: object
  readonly table?: Table
  /** Headers with what the body says besides its table, for media that hold only the table. */
  readonly headers?: Headers
}

/** The media of tables; the first where a caller has no preference or accepts none. */
const MEDIA = ['application/json', 'text/csv', 'application/x-ndjson'] as const

type Medium = (typeof MEDIA)[number]

/** How many rows are written at once. */
const CHUNK_ROWS = 500

/**
 * The reply in the medium that the request prefers, or 304 when it names the answer's entity tag.
 *
 * The tag depends on the path, the medium and the content, which says its tier, its cutoff and
 * every parameter in effect; so any correction makes another tag. It is weak: the timestamp is not
 * in it.
 */
export function answerReply(request: Request, answer: Answer, headers: Headers): Response {
  const { table } = answer
  const medium = (table && preferred(request.headers.get('accept'), MEDIA)) ?? MEDIA[0]
  const rows = table ? JSON.stringify(table.rows) : ''
  const etag = tagOf([pathOf(request.url), medium, JSON.stringify(answer.basis), rows])
  const all = { ...headers, ...answer.headers, etag, ...(table && { vary: 'Accept' }) }
  if (isHeld(request, etag)) return new Response(null, { status: 304, headers: all })
  const init = { headers: { 'content-type': medium, ...all } }
  if (!table || medium === 'application/json')
    return new Response(streamedBody(textOf(answer, rows)), init)
  return new Response(streamOf(chunksOf(table, medium)), init)
}

/** Puts the rows, written once, in their place: no text of a body holds `"name":[]` by itself. */
function textOf({ body, table }: Answer, rows: string): string {
  const text = JSON.stringify(body)
  if (!table) return text
  const place = `"${table.name}":[]`
  const at = text.indexOf(place)
  return text.slice(0, at) + place.slice(0, -2) + rows + text.slice(at + place.length)
}

/**
 * A tag by a plain 64-bit hash: a page of 5,000 rows is a megabyte, and nobody gains by a
 * collision.
 */
function tagOf(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length} ${part}`).join('')
  return `W/"${Bun.hash.xxHash3(text).toString(36)}"`
}

function* chunksOf({ columns, rows, cellsOf = itself }: Table, medium: Medium): Generator<string> {
  const isCsv = medium === 'text/csv'
  if (isCsv) yield `${csvLine(columns)}\r\n`
  const lineOf = isCsv
    ? (row: Row) => {
        const cells = cellsOf(row)
        return `${csvLine(columns.map((name) => cell(cells[name])))}\r\n`
      }
    : (row: Row) => `${JSON.stringify(row)}\n`
  for (let start = 0; start < rows.length; start += CHUNK_ROWS)
    yield rows
      .slice(start, start + CHUNK_ROWS)
      .map(lineOf)
      .join('')
}

const itself = (row: Row): Row => row

const cell = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

function streamOf(chunks: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}
