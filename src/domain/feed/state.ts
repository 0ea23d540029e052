import type { FeedFault } from './feed.ts'
import type { HeldBack } from './verdict.ts'

/** What is known about one feed over all runs. */
export type FeedRecord = {
  readonly id: string
  readonly source: string
  readonly triedMs: number | null
  readonly succeededMs: number | null
  readonly upstreamMs: number | null
  readonly currencies: number
  /** When the feed last failed; kept after a success. */
  readonly failedMs: number | null
  readonly fault: FeedFault | null
  /** Why the feed failed, as a text that follows the feed's name and anyone may read. */
  readonly message: string | null
  /** Whether the last attempt failed. */
  readonly isFailing: boolean
  /** The moment before which the feed is not asked again. */
  readonly waitUntilMs: number | null
}

/** What is kept from run to run, as plain JSON. */
export type FeedState = {
  /** When the last run began. */
  readonly ranMs: number | null
  /** The id of the feed that served last. */
  readonly served: string | null
  readonly held: readonly HeldBack[]
  /** The feeds in their configured order; one that is no longer configured is dropped. */
  readonly feeds: readonly FeedRecord[]
}

export const noState: FeedState = { ranMs: null, served: null, held: [], feeds: [] }
