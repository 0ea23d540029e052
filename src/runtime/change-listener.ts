import type { Clock } from '~/clock.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import type { Follower } from '~/jobs/follower.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { Database } from '~/store/database.ts'
import { type HeardNews, type Listening, listenForNews, originOf } from '~/store/news-channel.ts'

type ChangeListenerDeps = {
  readonly database: Database
  readonly refresher: Pick<Refresher, 'note' | 'settled' | 'reload'>
  readonly follower: Pick<Follower, 'hear' | 'wake'>
  readonly meter: Pick<UsageMeter, 'release'>
  readonly clock: Clock
  readonly log: Log
}

/** Changes of alerts or of their deliveries, from any process. */
type AlertNews =
  | { readonly kind: 'alerts'; readonly accountId?: string }
  | { readonly kind: 'deliveries' }

/** The time for which the fate of a statement may be open after its answer was lost. */
const LOST_ANSWER_MS = 15 * MINUTE_MS
/** The longest wait for a pulse. */
const PULSE_MS_MAX = 1000

/**
 * Brings the commits of other processes into memory.
 *
 * Our own commits are in memory already, unless their answer was lost: for a while after that our
 * own announcements count too. Announcements of changed access always count, since the older of two
 * simultaneous loads may have been published last. After a lost connection anything may have been
 * missed.
 */
export class ChangeListener {
  #listening: Listening | null = null
  readonly #alertHearers: ((news: AlertNews) => void)[] = []
  #isFirst = true
  #isHeard = true
  #heardCount = 0
  readonly #waiting = new Set<{ readonly count: number; resolve(): void }>()
  #answerLostMs = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: ChangeListenerDeps) {}

  /** Starts listening. Rejects when the database does not answer. */
  async start(): Promise<void> {
    this.#listening = await listenForNews(this.deps.database, {
      onNews: (news) => this.#hear(news),
      onConnect: () => {
        if (!this.#isFirst) {
          this.deps.refresher.note({ kind: 'everything' })
          this.deps.follower.wake()
          this.#tell({ kind: 'alerts' })
          this.#tell({ kind: 'deliveries' })
        }
        this.#isFirst = false
      },
    })
  }

  /** Notes that a batch of ours may be committed now or later without an answer. */
  noteLostAnswer(): void {
    const { refresher, clock } = this.deps
    this.#answerLostMs = clock.now()
    refresher.note({ kind: 'everything' })
  }

  /**
   * Resolves when memory serves everything committed before the call, by any process: announcements
   * come in the order of commits, so all of it is loaded when a pulse sent now comes back. If none
   * comes back everything is loaded. Rejects when the database does not answer.
   */
  async caughtUp(): Promise<void> {
    const { refresher } = this.deps
    const count = await this.#listening?.pulse()
    if (count !== undefined && (await this.#heard(count))) await refresher.settled()
    else await refresher.reload()
  }

  async #heard(count: number): Promise<boolean> {
    if (this.#heardCount >= count) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), PULSE_MS_MAX)
    const waiting = { count, resolve: () => resolve(true) }
    this.#waiting.add(waiting)
    const isHeard = await promise
    clearTimeout(timer)
    this.#waiting.delete(waiting)
    return isHeard
  }

  get job(): Job {
    return { name: 'news-pulse', pattern: '*/2 * * * * *', run: () => this.#pulse() }
  }

  stop(): void {
    this.#listening?.stop()
  }

  /** Tells of alerts from now on; of all of them after a lost connection. */
  hearOfAlerts(hear: (news: AlertNews) => void): void {
    this.#alertHearers.push(hear)
  }

  #tell(news: AlertNews): void {
    for (const hear of this.#alertHearers) hear(news)
  }

  #hear(news: HeardNews): void {
    const { database, refresher, follower, meter, clock } = this.deps
    const isOwn = news.origin === originOf(database)
    if (isLogged(news)) follower.hear(news)
    if (news.kind === 'tick' || news.kind === 'hour') return
    if (news.kind === 'pulse') this.#hearPulse(news.count, isOwn)
    else if (news.kind === 'shares') {
      if (!isOwn) meter.release(news.accountIds)
    } else if (news.kind === 'alerts' || news.kind === 'deliveries') this.#tell(news)
    else if (!isOwn || news.kind === 'access' || this.#mayHaveLost(clock.now()))
      refresher.note(news)
  }

  #hearPulse(count: number, isOwn: boolean): void {
    if (!isOwn) return
    this.#isHeard = true
    this.#heardCount = Math.max(this.#heardCount, count)
    for (const waiting of this.#waiting) if (waiting.count <= count) waiting.resolve()
  }

  #mayHaveLost(nowMs: number): boolean {
    return Math.abs(nowMs - this.#answerLostMs) < LOST_ANSWER_MS
  }

  /** Sends a pulse. A database that takes it and does not bring it back has lost our connection. */
  async #pulse(): Promise<void> {
    if (!this.#isHeard) {
      this.deps.log.warn({}, 'changes of other replicas are no longer announced; reconnecting')
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

/** Reports whether a commit of this kind stands in the log of changes. */
const isLogged = (news: HeardNews): news is HeardNews & { readonly position?: number | null } =>
  ['observations', 'references', 'catalogue', 'tick', 'hour'].includes(news.kind)
