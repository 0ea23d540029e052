import { FeedError } from '~/domain/feed/feed.ts'
import { fetchAnswer, type Limits } from '~/feed/fetcher.ts'
import type { Arrival, Outer } from './arrival.ts'
import type { Ask } from './rows.ts'
import type { Connector } from './schema.ts'
import { withSecrets } from './secrets.ts'

export const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const ATTEMPT_MS_MAX = 30_000
const QUESTIONS_MAX = 1000
const PAUSE_MS = 250

/** The responses to all requests of a connector, page by page, with a pause between two. */
export async function* answersOf(connector: Connector, outer: Outer): AsyncGenerator<Arrival> {
  const { from } = connector
  const { fetcher, reading } = outer
  let isFirst = true
  for (const ask of asksOf(from.each ?? {})) {
    const first = new URL(filled(from.url, ask))
    const name = nameOf(ask)
    let url: URL | null = first
    for (let page = 1; url !== null; page++) {
      if (!isFirst) await fetcher.sleep(PAUSE_MS)
      isFirst = false
      const { bytes } = await asked(url, { connector, outer, ask })
      const { rows, next, excerpt } = await reading.page({ bytes: bytes!, connector, ask }, name)
      yield { rows, excerpt, atMs: fetcher.clock.now(), name, file: null }
      if (next === null) break
      if (page >= from.pages!.max)
        throw new FeedError('too_large', `has more than ${from.pages!.max} pages: raise pages.max`)
      url = URL.parse(next, url.href)
      if (url?.origin !== first.origin)
        throw new FeedError('redirect', 'names a next page on another host')
    }
  }
}

type Asking = { readonly connector: Connector; readonly outer: Outer; readonly ask: Ask }

/** Limits of a request to a URL. Throws a FeedError for http to a host that no setting names. */
export function limitsFor(
  { hostname, protocol }: URL,
  { allowed }: Pick<Outer, 'allowed'>,
): Limits {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:' && !allowed.hasHost(host) && !allowed.hasAddress(host))
    throw new FeedError('misconfigured', 'must use https, or be named in CONNECTORS_ALLOW')
  return { bytesMax: ANSWER_BYTES_MAX, attemptMsMax: ATTEMPT_MS_MAX, allowed }
}

function asked(url: URL, { connector, outer, ask }: Asking) {
  const { env, agent, fetcher } = outer
  const secretHeaders = Object.fromEntries(
    Object.entries(connector.from.headers ?? {}).map(([name, text]) => [
      name.toLowerCase(),
      withSecrets(text, env),
    ]),
  )
  const { body } = connector.from
  const sent = body === undefined ? {} : { json: JSON.stringify(filledIn(body, ask)) }
  return fetchAnswer(
    { url, headers: { 'user-agent': agent }, secretHeaders, validators: null, ...sent },
    limitsFor(url, outer),
    fetcher,
  )
}

/** Every combination of the values of `each`; a corridor gives `from` and `to`. */
function asksOf(each: Readonly<Record<string, readonly (string | number)[]>>): Ask[] {
  let asks: Ask[] = [{}]
  for (const [name, values] of Object.entries(each)) {
    asks = asks.flatMap((ask) => values.map((value) => ({ ...ask, ...named(name, value) })))
    if (asks.length > QUESTIONS_MAX)
      throw new FeedError('too_large', `sends more than ${QUESTIONS_MAX} requests`)
  }
  return asks
}

function named(name: string, value: string | number): Ask {
  if (name !== 'corridor') return { [name]: value }
  const [from, to] = String(value).split('/') as [string, string]
  return { corridor: value, from, to }
}

const filled = (url: string, ask: Ask): string =>
  url.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ask[name]!))

/** A part of a body with the values of an ask; a string of one name alone becomes its value. */
function filledIn(part: unknown, ask: Ask): unknown {
  if (Array.isArray(part)) return part.map((one) => filledIn(one, ask))
  if (typeof part === 'object' && part !== null)
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, filledIn(one, ask)]))
  if (typeof part !== 'string') return part
  const [, alone] = /^\{(\w+)\}$/.exec(part) ?? []
  if (alone !== undefined) return ask[alone]
  return part.replace(/\{(\w+)\}/g, (_, name: string) => String(ask[name]))
}

const nameOf = ({ corridor: _, ...ask }: Ask): string =>
  Object.entries(ask)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
