import type { Follower } from '~/jobs/follower.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { StepKind } from '~/memory/live/step.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { Database } from '~/store/database.ts'
import {
  type Listening,
  listenForNotifications,
  originOf,
  type ReceivedNotification,
} from '~/store/notification-channel.ts'

export type ChangeListenerDeps = {
  readonly database: Database
  readonly refresher: Pick<Refresher, 'note'>
  readonly follower: Pick<Follower, 'check'> & {
    /** Receives a commit in the log, and whether it is one of this process. */
    receive(notification: LoggedNotification, isOwn: boolean): void
  }
  readonly meter: Pick<UsageMeter, 'release'>
  readonly log: Log
}

/** Changes of alerts or of their deliveries, from any process. */
type AlertNotification =
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
  readonly #alertListeners: ((notification: AlertNotification) => void)[] = []
  #isFirst = true
  #isReceived = true

  constructor(private readonly deps: ChangeListenerDeps) {}

  /** Starts listening. Rejects if the database does not respond. */
  async start(): Promise<void> {
    this.#listening = await listenForNotifications(this.deps.database, {
      onNotification: (notification) => this.#receive(notification),
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
  onAlerts(receive: (notification: AlertNotification) => void): void {
    this.#alertListeners.push(receive)
  }

  #tell(notification: AlertNotification): void {
    for (const receive of this.#alertListeners) receive(notification)
  }

  #receive(notification: ReceivedNotification): void {
    const { database, refresher, follower, meter } = this.deps
    const isOwn = notification.origin === originOf(database)
    if (isLogged(notification)) follower.receive(notification, isOwn)
    else if (notification.kind === 'pulse') this.#isReceived ||= isOwn
    else if (notification.kind === 'shares') {
      if (!isOwn) meter.release(notification.accountIds)
    } else if (notification.kind === 'alerts' || notification.kind === 'deliveries')
      this.#tell(notification)
    else if (!isOwn || notification.kind === 'access') refresher.note(notification)
  }

  /** Sends a pulse. A database that takes it and does not bring it back has lost our connection. */
  async #pulse(): Promise<void> {
    if (!this.#isReceived) {
      this.deps.log.warn({}, 'changes of other replicas are no longer announced; reconnecting')
      await this.#listening?.reconnect()
    }
    this.#isReceived = false
    try {
      await this.#listening?.pulse()
    } catch (error) {
      this.#isReceived = true
      throw error
    }
  }
}

type LoggedNotification = ReceivedNotification & { readonly kind: StepKind }

/** Reports whether a commit of this kind is in the log of changes. */
const isLogged = (notification: ReceivedNotification): notification is LoggedNotification =>
  ['observations', 'references', 'catalogue', 'tick', 'hour'].includes(notification.kind)
