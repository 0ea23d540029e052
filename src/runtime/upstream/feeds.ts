import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { ReferenceFeed } from '~/domain/feed/feed.ts'
import { createFeeds } from '~/feed/feeds.ts'
import { type FetcherDeps, systemPace } from '~/feed/fetcher.ts'
import { FeedTurns } from '~/jobs/feed-turns.ts'
import type { FeedStore } from '~/jobs/fetch-references.ts'
import type { Job, Schedule } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'

export type Pace = Omit<FetcherDeps, 'clock'>

type FeedServiceDeps = {
  readonly config: Pick<Config, 'feeds' | 'feedCron' | 'feedRules'>
  readonly clock: Clock
  readonly log: Log
  readonly memory: Memory
  readonly database: Database
  readonly pace?: Pace
  /** Wraps a feed to observe its answers. */
  readonly watch?: (feed: ReferenceFeed) => ReferenceFeed
}

const JOB_NAME = 'fetch-references'

const same = (feed: ReferenceFeed): ReferenceFeed => feed

/** The reference feeds of a service; without any configured it does nothing. */
export class FeedService {
  readonly #turns: FeedTurns | null
  readonly #stopping = new AbortController()
  readonly #pattern: string

  constructor(deps: FeedServiceDeps) {
    const { config, clock, log, memory, database, pace = systemPace, watch = same } = deps
    const { signal } = this.#stopping
    const publish = (publication: Publication) => memory.publish(publication, clock.now())
    const fetcher = { clock, ...until(signal, pace) }
    this.#pattern = config.feedCron
    this.#turns =
      config.feeds.length === 0
        ? null
        : new FeedTurns({
            feeds: createFeeds(config.feeds, fetcher).map(watch),
            store: untilStopped(signal, feedStoreOf(database, publish)),
            rules: config.feedRules,
            pattern: config.feedCron,
            clock,
            log,
            memory,
          })
  }

  get jobs(): Job[] {
    const turns = this.#turns
    if (!turns) return []
    return [{ name: JOB_NAME, pattern: this.#pattern, run: () => this.run() }]
  }

  /** One run; a stop in the middle of it leaves no trace. */
  async run(): Promise<void> {
    try {
      await this.#turns?.run()
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
    }
  }

  start(schedule: Schedule): void {
    this.#turns?.start(() => schedule.runNow(JOB_NAME))
  }

  note(publication: Publication): void {
    this.#turns?.note(publication)
  }

  /** When the feeds are asked next; null where there are none. */
  nextMs(nowMs: number): number | null {
    return this.#turns?.nextMs(nowMs) ?? null
  }

  /** Cancels what is being asked. */
  stop(): void {
    this.#stopping.abort()
  }
}

/** The store of the feeds, which publishes what it records at once. */
export function feedStoreOf(
  database: Database,
  publish: (publication: Publication) => void,
): FeedStore {
  const references = createReferenceStore(database)
  const states = createFeedStateStore(database)
  return {
    once: states.once,
    live: references.live,
    loadState: states.load,
    async append(snapshot) {
      publish({ references: await references.append(snapshot) })
    },
    async saveState(state) {
      await states.save(state)
      publish({ feeds: state })
    },
  }
}

/** A store that records nothing more of a run that was cancelled. */
function untilStopped(signal: AbortSignal, store: FeedStore): FeedStore {
  return {
    ...store,
    async append(snapshot) {
      signal.throwIfAborted()
      return store.append(snapshot)
    },
    async saveState(state) {
      signal.throwIfAborted()
      return store.saveState(state)
    },
  }
}

/** The pace, until the signal: after it every attempt ends at once and no pause is kept. */
export function until(signal: AbortSignal, pace: Pace): Pace {
  return {
    fetch: (url, init) => pace.fetch(url, init),
    random: () => pace.random(),
    addressesOf: (host) => pace.addressesOf(host),
    deadline: (ms) => AbortSignal.any([pace.deadline(ms), signal]),
    sleep: (ms) => endingAt(signal, pace.sleep(ms)),
  }
}

/** Resolves after the pause, or at the signal if that comes first. */
async function endingAt(signal: AbortSignal, pause: Promise<unknown>): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  await Promise.race([pause, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}
