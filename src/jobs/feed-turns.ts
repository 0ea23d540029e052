import type { Memory, Publication } from '~/memory/memory.ts'
import { type FetchReferencesDeps, runFetchReferences } from './fetch-references.ts'
import { instantsOf, lastInstantMs } from './schedule.ts'

type FeedTurnsDeps = Omit<FetchReferencesDeps, 'known'> & {
  readonly memory: Memory
  /** The time when to ask, in UTC. */
  readonly pattern: string
}

/**
 * Decides when a service queries its feeds: at the times of the pattern; after a start that finds
 * the last run missed, unsuccessful or made with other feeds; and as soon as the catalogue has a
 * currency that no feed was queried for.
 */
export class FeedTurns {
  readonly #nextInstantMs: (nowMs: number) => number
  #begin: (() => void) | null = null
  #isRunning = false
  /** The time since which a run is wanted off schedule. */
  #wantedMs: number | null = null
  #sought = new Set<string>()

  constructor(private readonly deps: FeedTurnsDeps) {
    this.#nextInstantMs = instantsOf(deps.pattern)
  }

  /** Starts calling `begin`, at once and whenever a run is due off schedule. */
  start(begin: () => void): void {
    this.#sought = new Set(this.#known())
    this.#begin = begin
    if (this.#isOutdated()) this.#wantedMs = this.deps.clock.now()
    begin()
  }

  /** Takes a publication of memory: a currency that is new to the catalogue may make a run due. */
  note(publication: Publication): void {
    if (!publication.catalogue || !this.#begin) return
    const { references } = this.deps.memory.current
    const isNew = (code: string) =>
      !this.#sought.has(code) && !references.said(code, Number.POSITIVE_INFINITY)
    if (!this.#known().some(isNew)) return
    this.#wantedMs = this.deps.clock.now()
    this.#begin()
  }

  /**
   * The scheduler's entry: runs unless another replica is running or has run since the last time of
   * the pattern; rejects with one sentence when no feed served. Without currencies it does nothing.
   */
  async run(): Promise<void> {
    this.#isRunning = true
    try {
      do await this.#runOnce()
      while (this.#wantedMs !== null)
    } finally {
      this.#isRunning = false
    }
  }

  /** The time of the next queries to the feeds, which is now while they are in progress. */
  nextMs(nowMs: number): number {
    return this.#isRunning ? nowMs : this.#nextInstantMs(nowMs)
  }

  async #runOnce(): Promise<void> {
    const { clock, pattern } = this.deps
    const known = this.#known()
    const lastMs = lastInstantMs(pattern, clock.now())
    const slotMs = Math.max(lastMs ?? 0, this.#wantedMs ?? 0)
    this.#wantedMs = null
    if (known.length === 0) return
    this.#sought = new Set(known)
    await runFetchReferences({ ...this.deps, known: () => known }, slotMs)
  }

  /** Says whether another run could now achieve more than the last one. */
  #isOutdated(): boolean {
    const { feeds } = this.deps.memory.current.feeds
    const isSame = feeds.map(({ id }) => id).join() === this.deps.feeds.map(({ id }) => id).join()
    return !isSame || feeds.every(({ isFailing }) => isFailing)
  }

  #known(): readonly string[] {
    return this.deps.memory.current.catalogue.referenceCodes
  }
}
