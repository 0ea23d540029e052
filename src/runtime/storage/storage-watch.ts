import type { Clock } from '~/clock.ts'
import { AHEAD_MS_MAX, DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Recording } from '~/domain/observation.ts'
import { type Job, lastInstantMs } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import { isFull } from '~/store/outage.ts'
import type { StorageFigures } from '~/store/storage/storage-store.ts'
import { type Family, gauge, secondsOf } from '~/telemetry/families.ts'

type Store = {
  figures(beforeMs: number): Promise<StorageFigures>
  /** Resolves if the server can write to its disk; leaves nothing there. */
  writeBriefly(): Promise<void>
}

type Deps = {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** The schedule of automatic backups; null without them. */
  readonly backupCron: string | null
}

type Full = {
  /** The time when a batch was last refused for lack of room. */
  refusedMs: number
  /** Says whether a trial of ours failed like the batch, so that its success means something. */
  isTrialTelling: boolean
}

const STORAGE_FULL =
  'the disk of the database is full, so nothing was recorded; reads go on: ' +
  'send the batch again once the operator of the service has made room'

/** The age from which a backup by hand counts as overdue. */
const BY_HAND_MS_MAX = 2 * DAY_MS
/** The longest time that a backup may take after the time at which it begins by itself. */
const BACKUP_MS_MAX = HOUR_MS

/**
 * Knows whether the database has room for new rows, and how much it takes.
 *
 * A disk counts as full from the first batch that was refused for it until one is recorded, or
 * until a trial succeeds: one that failed before, or a minute after the last refusal.
 */
export class StorageWatch {
  readonly jobs: readonly Job[] = [
    {
      name: 'watch-storage',
      pattern: '*/10 * * * * *',
      isAtStart: true,
      run: () => this.check(),
    },
  ]
  #full: Full | null = null
  #figures: StorageFigures | null = null
  #first: { readonly bytes: number; readonly atMs: number } | null = null
  #readMs = Number.NEGATIVE_INFINITY

  readonly #startedMs: number

  constructor(private readonly deps: Deps) {
    this.#startedMs = deps.clock.now()
  }

  get isRecording(): boolean {
    return this.#full === null
  }

  /** The metrics of the last look, at most a minute old; null before the first. */
  get figures(): StorageFigures | null {
    return this.#figures
  }

  /** Size of the database, and its growth since the first look. */
  get growth(): { bytes: number; grown: number; sinceMs: number } | null {
    if (!this.#figures || !this.#first) return null
    const bytes = this.#figures.databaseBytes
    return { bytes, grown: bytes - this.#first.bytes, sinceMs: this.#first.atMs }
  }

  /** Returns the recording; throws `storage_full` if it was refused for lack of room. */
  async watched(recorded: Promise<Recording>): Promise<Recording> {
    try {
      const recording = await recorded
      if (recording.kind === 'recorded') this.noteRecorded()
      return recording
    } catch (error) {
      if (!isFull(error)) throw error
      this.noteFull()
      throw Object.assign(new ServiceError('storage_full', STORAGE_FULL), { cause: error })
    }
  }

  noteFull(): void {
    const { clock, log } = this.deps
    if (!this.#full) log.error({}, 'the database has no room on its disk: nothing is recorded')
    this.#full = { isTrialTelling: false, ...this.#full, refusedMs: clock.now() }
  }

  noteRecorded(): void {
    if (this.#full) this.deps.log.info({}, 'the database has room on its disk again')
    this.#full = null
  }

  async check(): Promise<void> {
    const { store, clock } = this.deps
    const nowMs = clock.now()
    if (this.#full) await this.#try(this.#full)
    if (this.isRecording && Math.abs(nowMs - this.#readMs) < MINUTE_MS) return
    this.#figures = await store.figures(nowMs + AHEAD_MS_MAX)
    this.#readMs = nowMs
    this.#first ??= { bytes: this.#figures.databaseBytes, atMs: nowMs }
  }

  async #try(full: Full): Promise<void> {
    try {
      await this.deps.store.writeBriefly()
    } catch (error) {
      if (!isFull(error)) throw error
      full.isTrialTelling = true
      return
    }
    const isLongAgo = this.deps.clock.now() - full.refusedMs >= MINUTE_MS
    if (full.isTrialTelling || isLongAgo) this.noteRecorded()
  }

  /** The time for which a backup has been due; 0 if none is, null without any or a schedule. */
  get overdueMs(): number | null {
    const { clock, backupCron } = this.deps
    const last = this.#figures?.lastBackupMs ?? null
    const nowMs = clock.now()
    if (backupCron === null)
      return last === null ? null : Math.max(0, nowMs - last - BY_HAND_MS_MAX)
    const dueMs = lastInstantMs(backupCron, nowMs - BACKUP_MS_MAX)
    const isMade = dueMs === null || (last ?? this.#startedMs) >= dueMs
    return isMade ? 0 : nowMs - dueMs
  }

  readonly metrics: Family[] = [
    gauge(['recording', '1 unless the database has no room for what is recorded'], () =>
      this.isRecording ? 1 : 0,
    ),
    gauge(
      ['database_bytes', 'What the database takes, without the log of its server'],
      () => this.#figures?.databaseBytes ?? null,
    ),
    gauge(
      ['disk_bytes', 'The size of the disk of the database, where it is on this machine'],
      () => this.#figures?.disk?.all ?? null,
    ),
    gauge(
      ['disk_free_bytes', 'What is free on the disk of the database'],
      () => this.#figures?.disk?.free ?? null,
    ),
    gauge(['months_until_timestamp_seconds', 'Where the months that are ready end'], () =>
      secondsOrNull(this.#figures?.monthsUntilMs),
    ),
    gauge(['backup_last_timestamp_seconds', 'When the last backup was completed'], () =>
      secondsOrNull(this.#figures?.lastBackupMs),
    ),
    gauge(['backup_overdue_seconds', 'For how long a backup has been due'], () =>
      secondsOrNull(this.overdueMs),
    ),
  ]
}

const secondsOrNull = (ms: number | null | undefined): number | null =>
  ms === null || ms === undefined ? null : secondsOf(ms)
