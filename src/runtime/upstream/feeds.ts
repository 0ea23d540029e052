import type { Clock } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { ReferenceFeed } from '~/domain/feed/feed.ts'
import { createFeeds } from '~/feed/feeds.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { FeedTurns } from '~/jobs/feed-turns.ts'
import type { FeedStore } from '~/jobs/fetch-references.ts'
import type { Job, Schedule } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Memory, Publication } from '~/memory/memory.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { type Pace, Stopping } from './stopping.ts'

type FeedServiceDeps = {
  readonly config: Pick<Config, 'feeds' | 'feedCron' | 'feedMode' | 'feedRules'>
  readonly clock: Clock
  readonly log: Log
  readonly memory: Memory
  readonly database: Database
  readonly served: Effects['served']
  readonly pace?: Pace
  /** Wraps a feed to observe its responses. */
  readonly watch?: (feed: ReferenceFeed) => ReferenceFeed
}

const JOB_NAME = 'fetch-references'

/** The reference feeds of a service; without any configured it does nothing. */
export class FeedService {
  readonly #turns: FeedTurns | null
  readonly #stopping = new Stopping()
  readonly #pattern: string

  constructor(deps: FeedServiceDeps) {
    const { config, clock, log, memory, database, served } = deps
    const { pace = systemPace, watch = (one) => one } = deps
    const publish = (publication: Publication) => memory.publish(publication, clock.now())
    const fetcher = { clock, ...this.#stopping.paced(pace) }
    const store = feedStoreOf(database, { publish, served }, clock)
    this.#pattern = config.feedCron
    this.#turns =
      config.feeds.length === 0
        ? null
        : new FeedTurns({
            feeds: createFeeds(config.feeds, fetcher).map(watch),
            store: this.#stopping.guarded(store, ['append', 'saveState']),
            rules: config.feedRules,
            mode: config.feedMode,
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
  run(): Promise<void> {
    return this.#stopping.run(() => this.#turns?.run() ?? Promise.resolve())
  }

  start(schedule: Schedule): void {
    this.#turns?.start(() => schedule.runNow(JOB_NAME))
  }

  note(publication: Publication): void {
    this.#turns?.note(publication)
  }

  /** The time of the next queries to the feeds; null if there are none. */
  nextMs(nowMs: number): number | null {
    return this.#turns?.nextMs(nowMs) ?? null
  }

  stop(): void {
    this.#stopping.stop()
  }
}

type Effects = {
  publish(publication: Publication): void
  /** Resolves when everything committed so far is served. */
  served(): Promise<void>
}

/** The store of the feeds: its records are served when it returns. */
export function feedStoreOf(
  database: Database,
  { publish, served }: Effects,
  clock?: Clock,
): FeedStore {
  const references = createReferenceStore(database, clock)
  const states = createFeedStateStore(database)
  return {
    once: states.once,
    live: references.live,
    loadState: states.load,
    async append(snapshot) {
      await references.append(snapshot)
      await served()
    },
    async saveState(state, answers) {
      await states.save(state, answers)
      publish({ feeds: state })
    },
  }
}
