import { acceptedFormat, type Format } from '~/wire/list/format.ts'
import type { List } from '~/wire/list/list.ts'
import { streamedBody } from '~/wire/streamed-body.ts'
import { isHeld } from './entity-tag.ts'
import { fileHeaders, listReply } from './file/list-reply.ts'
import { pathOf } from './path.ts'
import type { Headers } from './reply.ts'

/** A response that a caller may already hold. */
export type Answer = {
  readonly body: object
  /**
   * The content that distinguishes one response from another: everything except the entries of a
   * list and what merely follows the clock. Together with the entries it makes the entity tag. If
   * absent, the body without its timestamp and its entries.
   */
  readonly basis?: object
  /** Headers that state the body's fields besides its entries. */
  readonly headers?: Headers
}

/** The requested response, and its format. */
type Asked = {
  /** Rows of the response's entries; null for a response that is not a list. */
  readonly list: List | null
  /** The format that the query requests. */
  readonly format?: Format | undefined
}

/**
 * The response in the format of the query, else in the one that the Accept header prefers, or 304
 * if the request names its entity tag.
 *
 * The tag depends on the path, the format and the content, which states its tier, its cutoff and
 * every parameter in effect; so any correction makes another tag. It is weak: the timestamp is not
 * in it.
 */
export function answerReply(
  request: Request,
  { answer, list, format }: Asked & { readonly answer: Answer },
  headers: Headers,
): Response {
  const { body, basis = basisOf(answer.body, list) } = answer
  const written = JSON.stringify(basis)
  if (!list) {
    const etag = tagOf([pathOf(request.url), written])
    const all = { ...headers, ...answer.headers, etag }
    return isHeld(request, etag) ? unchanged(all) : jsonOf(JSON.stringify(body), all)
  }
  const form = format ?? acceptedFormat(request.headers.get('accept'))
  const entries = JSON.stringify((body as Record<string, unknown>)[list.entries])
  const etag = tagOf([pathOf(request.url), form, written, entries])
  const all = { ...headers, ...answer.headers, etag, vary: 'Accept' }
  if (form === 'json')
    return isHeld(request, etag) ? unchanged(all) : jsonOf(textOf(body, list, entries), all)
  const listed = { list, body, format: form }
  if (isHeld(request, etag)) return unchanged({ ...all, ...withoutType(fileHeaders(listed)) })
  return listReply(request, listed, all)
}

/** The default of `Answer.basis`. */
function basisOf(body: object, list: List | null): object {
  const { timestamp: _, ...basis } = body as Record<string, unknown>
  if (list) delete basis[list.entries]
  return basis
}

const unchanged = (headers: Headers): Response => new Response(null, { status: 304, headers })

const withoutType = ({ 'content-type': _, ...headers }: Headers): Headers => headers

const jsonOf = (text: string, headers: Headers): Response =>
  new Response(streamedBody(text), { headers: { 'content-type': 'application/json', ...headers } })

/** Inserts the entries, written once, at their place, which no string in a body can imitate. */
function textOf(body: object, { entries: name }: List, entries: string): string {
  const text = JSON.stringify({ ...body, [name]: [] })
  const place = `"${name}":[]`
  const at = text.indexOf(place)
  return text.slice(0, at) + place.slice(0, -2) + entries + text.slice(at + place.length)
}

/** A tag by a plain 64-bit hash: pages are long, and no client gains by a collision. */
export function tagOf(parts: readonly string[]): string {
  const text = parts.map((part) => `${part.length} ${part}`).join('')
  return `W/"${Bun.hash.xxHash3(text).toString(36)}"`
}
