import type { FeedFault } from './feed.ts'
import type { HeldBack } from './verdict.ts'

/** What is known of one feed over all runs. */
export type FeedRecord = {
  readonly id: string
  readonly source: string
  readonly triedMs: number | null
  readonly succeededMs: number | null
  readonly upstreamMs: number | null
  readonly currencies: number
  /** The last failure, kept after a success. */
  readonly failedMs: number | null
  readonly fault: FeedFault | null
  /** Why it failed, after the feed's name; for anyone to read. */
  readonly message: string | null
  /** Whether the last try failed. */
  readonly isFailing: boolean
  /** Not to be asked before. */
  readonly waitUntilMs: number | null
}

/** What lives from run to run, as plain JSON. */
export type FeedState = {
  /** When the last run began. */
  readonly ranMs: number | null
  /** The id of the feed that served last. */
  readonly served: string | null
  readonly held: readonly HeldBack[]
  /** In the configured order; a feed that is no longer configured is forgotten. */
  readonly feeds: readonly FeedRecord[]
}

export const noState: FeedState = { ranMs: null, served: null, held: [], feeds: [] }
