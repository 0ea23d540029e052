import type { Clock } from '~/clock.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Database } from '~/store/database.ts'
import { type HeardNews, type Listening, listenForNews, originOf } from '~/store/news-channel.ts'

type NewsDeps = {
  readonly database: Database
  readonly refresher: Pick<Refresher, 'note'>
  readonly clock: Clock
  readonly log: Log
}

/** A statement whose answer was lost is over by then, whatever became of it. */
const DOUBT_MS = 15 * 60_000

/**
 * What other processes commit, on its way into memory.
 *
 * Our own commits are in memory already, unless their answer was lost: for a while after that our
 * own news counts too. After a lost connection anything may have been missed.
 */
export class NewsFollower {
  #listening: Listening | null = null
  #isFirst = true
  #isHeard = true
  #doubtedMs = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: NewsDeps) {}

  /** Rejects when the database does not answer. */
  async start(): Promise<void> {
    this.#listening = await listenForNews(this.deps.database, {
      onNews: (news) => this.#hear(news),
      onConnect: () => {
        if (!this.#isFirst) this.deps.refresher.note({ kind: 'everything' })
        this.#isFirst = false
      },
    })
  }

  /** A batch of ours may be committed now or later, and nobody is told. */
  doubt(): void {
    const { refresher, clock } = this.deps
    this.#doubtedMs = clock.now()
    refresher.note({ kind: 'everything' })
  }

  get job(): Job {
    return { name: 'news-pulse', pattern: '*/2 * * * * *', run: () => this.#pulse() }
  }

  stop(): void {
    this.#listening?.stop()
  }

  #hear(news: HeardNews): void {
    const { database, refresher, clock } = this.deps
    const isOwn = news.origin === originOf(database)
    if (news.kind === 'pulse') this.#isHeard ||= isOwn
    else if (!isOwn || this.#isInDoubt(clock.now())) refresher.note(news)
  }

  #isInDoubt(nowMs: number): boolean {
    return Math.abs(nowMs - this.#doubtedMs) < DOUBT_MS
  }

  /** A database that takes a pulse and does not bring it back has lost our connection. */
  async #pulse(): Promise<void> {
    if (!this.#isHeard) {
      this.deps.log.warn({}, 'news of other replicas stopped coming; connecting anew')
      await this.#listening?.reconnect()
    }
    this.#isHeard = false
    try {
      await this.#listening?.pulse()
    } catch (error) {
      this.#isHeard = true
      throw error
    }
  }
}
