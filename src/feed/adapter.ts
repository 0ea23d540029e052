import type { ReferenceAnswer } from '~/domain/feed/feed.ts'

/** What a publisher asks of those who use its rates. */
type Attribution = {
  /** The line to show beside the rates. */
  readonly text: string
  readonly url: string
  readonly licence: string
}

/** What the service knows of one upstream: where it is, how it is asked and what it answers. */
export type Adapter = {
  /** Who observes the rates, where that is another than the feed itself. */
  readonly origin?: string
  readonly attribution: Attribution
  /** Where it is when no address is configured; `path` is joined to it. */
  readonly home: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly format: 'json' | 'xml'
  /** The headers that carry the key, for a feed that needs one. Keys travel in headers only. */
  readonly keyHeaders?: (key: string) => Readonly<Record<string, string>>
  /** What it publishes, where that is short and settled. */
  readonly currencies?: readonly string[]
  /** Throws a FeedError when the text is no answer as documented. */
  parse(text: string): ReferenceAnswer
  /**
   * The documented word for a refusal, from the body of an error response; null when it has none.
   */
  refusal?(text: string): string | null
}

/**
 * The address of an endpoint below a configured base.
 *
 * The base may be the host alone, or hold any first part of the endpoint's path, or all of it: what
 * is already there is not repeated. `https://host/v6` and `v6/latest/USD` make
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
