import type { Memory } from '~/memory/memory.ts'
import { type FetchSourcesDeps, fetchDueSources } from './fetch-sources.ts'

type SourceTurnsDeps = FetchSourcesDeps & {
  readonly memory: Memory
  /** The time when to ask all banks, in UTC; null for each when it publishes. */
  readonly pattern: string | null
  /** Says whether mids come from feeds, which a first run lets go first. */
  readonly hasFeeds: boolean
}

/**
 * The time when a service asks its banks: each when it should have published, or all at the times
 * of a pattern.
 *
 * The first turn waits for another while there is no mid yet that rates could be held against.
 */
export class SourceTurns {
  #isFirst = true

  constructor(private readonly deps: SourceTurnsDeps) {}

  async run(): Promise<void> {
    const { memory, hasFeeds, pattern } = this.deps
    const isBlind = memory.current.references.newest(Number.POSITIVE_INFINITY) === undefined
    const isDeferred = this.#isFirst && hasFeeds && isBlind
    this.#isFirst = false
    if (!isDeferred) await fetchDueSources(this.deps, pattern)
  }
}
