/** What a feed said, as it said it; nothing of it has been judged yet. */
export type ReferenceAnswer = {
  /** The currency the numbers are per unit of: USD, unless the feed answered something else. */
  readonly base: string
  /** The upstream's own time; of a feed that gives a date only, the midnight UTC that starts it. */
  readonly upstreamMs: number
  /** Units of each currency per unit of `base`, as exact decimal text, by canonical code. */
  readonly perUsd: ReadonlyMap<string, string>
}

/** One configured feed. */
export type ReferenceFeed = {
  /** Unique among the configured feeds: the source, numbered where it is configured twice. */
  readonly id: string
  /** The name its rates carry. */
  readonly source: string
  /** Who observed the rates. Two feeds of one origin are one witness. */
  readonly origin: string
  /** What it publishes, where that is a short and settled list; null for "about every currency". */
  readonly currencies: readonly string[] | null
  /** Rejects with a FeedError, and with nothing else but a bug. */
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
 * Why a feed gave nothing.
 *
 * `message` continues a sentence that begins with the feed's name. It is fit for the log and the
 * public status: it holds our own words only, never an address, a header or text of the upstream.
 */
export class FeedError extends Error {
  /** Whether asking again soon may help. */
  readonly isTransient: boolean
  /** How long the upstream asks to be left alone. */
  readonly retryAfterMs: number | null

  constructor(
    readonly fault: FeedFault,
    message: string,
    { isTransient = false, retryAfterMs = null }: FeedErrorDetails = {},
  ) {
    super(message)
    this.name = 'FeedError'
    this.isTransient = isTransient
    this.retryAfterMs = retryAfterMs
  }
}

type FeedErrorDetails = { isTransient?: boolean; retryAfterMs?: number | null }
