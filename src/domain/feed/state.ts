import type { Attempts } from './attempts.ts'
import type { Support } from './consensus.ts'
import type { Said } from './repetition.ts'
import type { HeldBack } from './verdict.ts'

/** What is known about one feed over all runs. */
export type FeedRecord = Attempts & {
  readonly id: string
  readonly source: string
  readonly upstreamMs: number | null
  readonly currencies: number
  /** What it said last, oldest first; absent in what a version without it saved. */
  readonly said?: readonly Said[]
}

/** What is kept from run to run, as plain JSON. */
export type FeedState = {
  /** When the last run began. */
  readonly ranMs: number | null
  /** The id of the feed that served last. */
  readonly served: string | null
  readonly held: readonly HeldBack[]
  /** How many feeds support each value; absent in what a version without it saved. */
  readonly support?: readonly Support[]
  /** The feeds in their configured order; one that is no longer configured is dropped. */
  readonly feeds: readonly FeedRecord[]
}

export const noState: FeedState = { ranMs: null, served: null, held: [], feeds: [] }
