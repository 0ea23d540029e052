import type { ReferenceAnswer } from '~/domain/feed/feed.ts'

/** The attribution that a publisher asks for. */
type Attribution = {
  /** The line to show with the rates. */
  readonly text: string
  readonly url: string
  readonly licence: string
}

/** Adapter of one upstream: its address, its requests and its responses. */
export type Adapter = {
  /** The institution that observes the rates, if it is not the feed itself. */
  readonly origin?: string
  readonly attribution: Attribution
  /** The host to use when no address is configured; `path` is joined to it. */
  readonly home: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly format: 'json' | 'xml'
  /** The headers that carry the key, for a feed that needs one. Keys travel in headers only. */
  readonly keyHeaders?: (key: string) => Readonly<Record<string, string>>
  /** An older version of the feed, for addresses that contain the first part of its path. */
  readonly older?: Adapter
  /** The currencies that the feed publishes, if that is a short, fixed list. */
  readonly currencies?: readonly string[]
  /** Parses a response. Throws a FeedError if the string does not have the documented form. */
  parse(text: string): ReferenceAnswer
  /** The documented reason for a refusal, from an error's body; null when there is none. */
  refusal?(text: string): string | null
}

/**
 * The address of an endpoint below a configured base.
 *
 * The base may be the host alone, or include the first part of the endpoint's path, or all of it:
 * parts already there are not repeated. `https://host/v6` and `v6/latest/USD` make
 * `https://host/v6/latest/USD`.
 */
export function endpointUrl(
  base: string,
  { path, query = {} }: Pick<Adapter, 'path' | 'query'>,
): URL {
  const url = new URL(base)
  const given = url.pathname.split('/').filter(Boolean)
  const wanted = path.split('/')
  let shared = Math.min(given.length, wanted.length)
  while (shared > 0 && given.slice(-shared).join('/') !== wanted.slice(0, shared).join('/'))
    shared--
  url.pathname = `/${[...given, ...wanted.slice(shared)].join('/')}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
