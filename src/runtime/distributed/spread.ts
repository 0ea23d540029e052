import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '~/clock.ts'
import type { Job } from '~/jobs/schedule.ts'
import { type Hidden, Whole } from '~/jobs/whole.ts'
import type { Log } from '~/log.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { createSpreadChangeStore } from '~/store/distributed/spread-changes.ts'
import { createSpreadQuoteStore } from '~/store/distributed/spread-quotes.ts'
import { createWorkerStore } from '~/store/distributed/worker-store.ts'
import { WorkerWatch } from './worker-watch.ts'

type SpreadDeps = { readonly database: Database; readonly clock: Clock; readonly log: Log }

/** What a service does about a database on several servers. */
export class Spread {
  readonly whole: Whole
  readonly workers: WorkerWatch
  #isLoaded = false
  #onBack = () => {}

  private constructor({ database, clock, log }: SpreadDeps) {
    const quotes = createSpreadQuoteStore(database)
    const store = createWorkerStore(database)
    this.workers = new WorkerWatch({ store, log, onBack: () => this.#onBack() })
    const live = (nowMs: number, hidden: Hidden | null) =>
      quotes.live(nowMs, hidden, null).catch(async (error) => {
        const reachable = this.#isLoaded ? await this.workers.reachable() : null
        if (reachable === null) throw error
        return []
      })
    const changes = createSpreadChangeStore(database)
    this.whole = new Whole({ changes, quotes: { ...quotes, live }, clock, pause })
  }

  /** Null for one PostgreSQL. */
  static async of(deps: SpreadDeps): Promise<Spread | null> {
    return (await isDistributed(deps.database.sql)) ? new Spread(deps) : null
  }

  /**
   * Notes that all is loaded: from now on what servers that are away have stays as it was known,
   * and `onBack` is called when they are back.
   */
  loaded(onBack: () => void): void {
    this.#isLoaded = true
    this.#onBack = onBack
  }

  /** What takes the place of reading observations as one server shows them. */
  get quotes() {
    const { whole } = this
    return {
      live: (nowMs: number) => whole.live(nowMs),
      ofChange: (position: number) => whole.ofChange(position),
    }
  }

  get jobs(): Job[] {
    const look = async () => void (await this.whole.look())
    return [this.workers.job, { name: 'look-whole', pattern: '* * * * * *', run: look }]
  }
}
