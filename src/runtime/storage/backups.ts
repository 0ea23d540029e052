import type { Config } from '~/config.ts'
import { AHEAD_MS_MAX } from '~/domain/duration.ts'
import { systemPace } from '~/feed/fetcher.ts'
import { type Job, lastInstantMs } from '~/jobs/schedule.ts'
import type { ServiceOptions } from '~/runtime/service-options.ts'
import type { Sql } from '~/store/database.ts'
import { once } from '~/store/once.ts'
import { onOwnConnection } from '~/store/own-connection.ts'
import { createStorageStore } from '~/store/storage/storage-store.ts'
import { writeBackup } from '~/store/transfer/backup.ts'
import { compressedInto } from '~/store/transfer/compressed.ts'
import { type Shelf, shelfOf } from './shelf.ts'

type Deps = Pick<ServiceOptions, 'database' | 'clock' | 'log'> & {
  readonly config: Pick<Config, 'backupCron' | 'backupDir' | 'backupKeep' | 's3'>
}

const WORK = 'corridor backup'
/** One connection for the copy, and one to cancel it on the server. */
const CONNECTIONS = 2
const NAME = /^corridor-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/

/**
 * Backups by a schedule: one of the replicas makes each, and the oldest are deleted once there are
 * more than wanted. A stop ends a backup in progress, and leaves nothing of it.
 */
export class Backups {
  readonly jobs: readonly Job[]
  #isStopped = false
  #making: Promise<unknown> = Promise.resolve()

  constructor(private readonly deps: Deps) {
    const { backupCron: pattern, backupDir } = deps.config
    this.jobs =
      pattern === null || backupDir === null
        ? []
        : [{ name: 'backup', pattern, run: () => this.#run(pattern, backupDir) }]
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#making.catch(() => {})
  }

  async #run(pattern: string, backupDir: string): Promise<void> {
    const { clock, database, config } = this.deps
    const shelf = shelfOf({ ...config, backupDir }, { ...systemPace, clock })
    this.#making = once(database, WORK, async () => {
      if (!(await this.#isDue(pattern, shelf))) return
      await this.#make(shelf)
      await tidied(shelf, config.backupKeep)
    })
    await this.#making
  }

  /** Reports whether no replica has made the backup of this time. */
  async #isDue(pattern: string, shelf: Shelf): Promise<boolean> {
    const { clock, database } = this.deps
    const nowMs = clock.now()
    const dueMs = lastInstantMs(pattern, nowMs)
    const store = createStorageStore(database)
    const lastMs = await store.lastBackupMs(shelf.placeOf(''), nowMs + AHEAD_MS_MAX)
    return dueMs === null || lastMs === null || lastMs < dueMs
  }

  async #make(shelf: Shelf): Promise<void> {
    const { database, clock, log } = this.deps
    const startMs = clock.now()
    const name = `corridor-${secondText(startMs)}.backup`
    const written = async (sql: Sql) => {
      const output = await shelf.add(name)
      return compressedInto(output, (write) =>
        writeBackup({ sql }, (part) => {
          if (this.#isStopped) throw new Error('the service stops')
          return write(part)
        }),
      )
    }
    const { rows } = await onOwnConnection(database.sql, written, CONNECTIONS)
    const [atMs, place] = [clock.now(), shelf.placeOf(name)]
    await createStorageStore(database).noteBackup({ atMs, place, rows })
    log.info({ place, rows, ms: atMs - startMs }, 'a backup was created')
  }
}

const secondText = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')

/** Removes our oldest backups beyond `keep`; null keeps all. */
async function tidied(shelf: Shelf, keep: number | null): Promise<void> {
  if (keep === null) return
  const names = (await shelf.names()).filter((name) => NAME.test(name)).sort()
  for (const name of names.slice(0, -keep)) await shelf.remove(name)
}
