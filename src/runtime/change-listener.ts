import type { Follower } from '~/jobs/follower.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { StepKind } from '~/memory/live/step.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { Database } from '~/store/database.ts'
import { type HeardNews, type Listening, listenForNews, originOf } from '~/store/news-channel.ts'

export type ChangeListenerDeps = {
  readonly database: Database
  readonly refresher: Pick<Refresher, 'note'>
  readonly follower: Pick<Follower, 'check'> & {
    /** Receives a commit in the log, and whether it is one of this process. */
    hear(news: LoggedNews, isOwn: boolean): void
  }
  readonly meter: Pick<UsageMeter, 'release'>
  readonly log: Log
}

/** Changes of alerts or of their deliveries, from any process. */
type AlertNews =
  | { readonly kind: 'alerts'; readonly accountId?: string }
  | { readonly kind: 'deliveries' }

/**
 * Receives the commits of all processes: wakes the followers of the log of changes, and triggers
 * loads of changes that the log does not report.
 *
 * Of these, our own are in memory already. Announcements of changed access always count, since the
 * older of two simultaneous loads may have been published last. After a lost connection any change
 * may have been missed.
 */
export class ChangeListener {
  #listening: Listening | null = null
  readonly #alertHearers: ((news: AlertNews) => void)[] = []
  #isFirst = true
  #isHeard = true

  constructor(private readonly deps: ChangeListenerDeps) {}

  /** Starts listening. Rejects if the database does not respond. */
  async start(): Promise<void> {
    this.#listening = await listenForNews(this.deps.database, {
      onNews: (news) => this.#hear(news),
      onConnect: () => {
        if (!this.#isFirst) {
          this.deps.refresher.note({ kind: 'everything' })
          void this.deps.follower.check()
          this.#tell({ kind: 'alerts' })
          this.#tell({ kind: 'deliveries' })
        }
        this.#isFirst = false
      },
    })
  }

  get jobs(): readonly Job[] {
    return [{ name: 'news-pulse', pattern: '*/2 * * * * *', run: () => this.#pulse() }]
  }

  stop(): void {
    this.#listening?.stop()
  }

  /** Passes on changes of alerts from now on; all of them after a lost connection. */
  hearOfAlerts(hear: (news: AlertNews) => void): void {
    this.#alertHearers.push(hear)
  }

  #tell(news: AlertNews): void {
    for (const hear of this.#alertHearers) hear(news)
  }

  #hear(news: HeardNews): void {
    const { database, refresher, follower, meter } = this.deps
    const isOwn = news.origin === originOf(database)
    if (isLogged(news)) follower.hear(news, isOwn)
    else if (news.kind === 'pulse') this.#isHeard ||= isOwn
    else if (news.kind === 'shares') {
      if (!isOwn) meter.release(news.accountIds)
    } else if (news.kind === 'alerts' || news.kind === 'deliveries') this.#tell(news)
    else if (!isOwn || news.kind === 'access') refresher.note(news)
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

type LoggedNews = HeardNews & { readonly kind: StepKind }

/** Reports whether a commit of this kind is in the log of changes. */
const isLogged = (news: HeardNews): news is LoggedNews =>
  ['observations', 'references', 'catalogue', 'tick', 'hour'].includes(news.kind)
