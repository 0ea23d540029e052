import { takesGzip, zipped } from '~/http/coding.ts'
import { CONTENT_TYPES, type RowFormat } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import { textsOf } from '~/wire/list/text.ts'
import { streamedBody } from '~/wire/streamed-body.ts'

type Listed = {
  readonly list: List
  /** The whole response, as in JSON. */
  readonly body: object
  readonly format: RowFormat
}

/** Columns about all rows that a client needs even without rows. */
const STATED = ['as_of', 'note', 'mid_rate', 'mid_source', 'mid_fetched_at']

/** A smaller file would hardly shrink. */
const ZIPPED_LENGTH_MIN = 1000

/** The reply with a list as a file, zipped if accepted; a long one is written while it is sent. */
export function listReply(request: Request, listed: Listed, headers: HeadersInit): Response {
  const { list, body, format } = listed
  const answer = body as Readonly<Record<string, unknown>>
  const all = new Headers(headers)
  for (const [name, value] of Object.entries(fileHeaders(listed))) all.set(name, value)
  const texts = textsOf(list.rows(answer), { names: list.names, format })
  const first = texts.next().value ?? ''
  const second = texts.next()
  const isZipped = takesGzip(request) && (!second.done || first.length >= ZIPPED_LENGTH_MIN)
  if (isZipped) all.set('content-encoding', 'gzip')
  const init = { headers: all }
  if (second.done) return new Response(streamedBody(isZipped ? Bun.gzipSync(first) : first), init)
  const stream = streamOf([first, second.value], texts)
  return new Response(isZipped ? zipped(stream) : stream, init)
}

export function fileHeaders({ list, body, format }: Listed): Record<string, string> {
  const answer = body as Readonly<Record<string, unknown>>
  const whole = list.whole(answer)
  const stated = [...STATED, 'known_at'].flatMap((name) => {
    const value = whole[name] ?? (name === 'known_at' ? answer[name] : null) ?? null
    return value === null ? [] : [[`x-${name.replaceAll('_', '-')}`, inAscii(String(value))]]
  })
  return {
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="${list.fileName(answer)}.${format}"`,
    vary: 'Accept, Accept-Encoding',
    ...Object.fromEntries(stated),
  }
}

/** A string as a header can hold it: what is beyond ASCII is percent-encoded, and so is `%`. */
const inAscii = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent)

function streamOf(begun: readonly string[], texts: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      for (const text of begun) controller.enqueue(encoder.encode(text))
    },
    pull(controller) {
      const { done, value } = texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}
