import type { FeedBasis } from '~/domain/mid.ts'

/** A feed's response before any check. */
export type ReferenceAnswer = {
  /** The base currency of the numbers: USD, unless the feed returned another. */
  readonly base: string
  /** The upstream's own time; midnight UTC for a feed that gives only a date. */
  readonly upstreamMs: number
  /** Units of each currency per unit of `base`, as exact decimal strings, by canonical code. */
  readonly perUsd: ReadonlyMap<string, string>
}

export type ReferenceFeed = {
  /** Unique among the configured feeds: the source, numbered if it is configured twice. */
  readonly id: string
  /** The name its rates carry. */
  readonly source: string
  /** The institution that observed the rates. Two feeds with one origin count as one witness. */
  readonly origin: string
  /** The feed's currencies, if they are a short, fixed list; null for nearly all. */
  readonly currencies: readonly string[] | null
  /** Asks the feed once. Rejects with a FeedError; anything else is a bug. */
  ask(): Promise<ReferenceAnswer>
}

export const FEED_FAULTS = [
  'misconfigured',
  'unreachable',
  'insecure',
  'timeout',
  'too_large',
  'redirect',
  'unauthorized',
  'rate_limited',
  'http_error',
  'not_data',
  'malformed',
  'upstream_error',
  'implausible',
  'unexpected',
] as const

export type FeedFault = (typeof FEED_FAULTS)[number]

/**
 * The reason why a feed returned no usable response.
 *
 * `message` continues a sentence that begins with the feed's name. It is fit for the log and the
 * public status: it holds our own words only, no address, header or content of the upstream.
 */
export class FeedError extends Error {
  /** Says whether a retry soon may help. */
  readonly isTransient: boolean
  /** The time that the upstream asks us to wait. */
  readonly retryAfterMs: number | null
  /** The HTTP status of the upstream's response; null if there was none. */
  readonly status: number | null
  /** Beginning of an unreadable response, for operators only; null if none came. */
  readonly excerpt: string | null

  constructor(
    readonly fault: FeedFault,
    message: string,
    {
      isTransient = false,
      retryAfterMs = null,
      status = null,
      excerpt = null,
    }: FeedErrorDetails = {},
  ) {
    super(message)
    this.name = 'FeedError'
    this.isTransient = isTransient
    this.retryAfterMs = retryAfterMs
    this.status = status
    this.excerpt = excerpt
  }
}

type FeedErrorDetails = {
  isTransient?: boolean
  retryAfterMs?: number | null
  status?: number | null
  excerpt?: string | null
}

/**
 * One feed's accepted response, ready to be recorded: units of each currency per US dollar as exact
 * decimal strings, `fetchedMs` by our clock, `upstreamMs` by the upstream's if it is known.
 */
export type FeedSnapshot = {
  readonly source: string
  readonly fetchedMs: number
  readonly upstreamMs?: number
  readonly rates: readonly {
    readonly currency: string
    readonly perUsd: string
    /** Basis by the feeds behind it; absent if one was requested. */
    readonly basis?: FeedBasis | null
    readonly dispersionBps?: number | null
  }[]
}

/** Validators by which an upstream need not repeat an unchanged document. Valid for one address. */
export type Validators = {
  readonly url: string
  readonly etag: string | null
  readonly lastModified: string | null
}
