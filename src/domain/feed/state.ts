import type { Attempts } from './attempts.ts'
import type { Support } from './consensus.ts'
import type { Said } from './repetition.ts'
import type { HeldBack } from './verdict.ts'

/** State of one feed over all runs. */
export type FeedRecord = Attempts & {
  readonly id: string
  readonly source: string
  readonly upstreamMs: number | null
  readonly currencies: number
  /** Last responses, oldest first; absent in the state of an older version. */
  readonly said?: readonly Said[]
}

/** State that is saved from run to run, as plain JSON. */
export type FeedState = {
  /** The time when the last run began. */
  readonly ranMs: number | null
  readonly served: string | null
  readonly held: readonly HeldBack[]
  /** The number of feeds that support each value; absent in the state of an older version. */
  readonly support?: readonly Support[]
  /** The feeds in their configured order; one that is no longer configured is dropped. */
  readonly feeds: readonly FeedRecord[]
}

export const noState: FeedState = { ranMs: null, served: null, held: [], feeds: [] }
