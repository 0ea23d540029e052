import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '~/clock.ts'
import { corridorKey, type StoredCorridor } from '~/domain/corridor.ts'
import type { Quote } from '~/domain/quote.ts'
import type { LogRow } from '~/jobs/change-log.ts'
import type { Job } from '~/jobs/schedule.ts'
import { type Hidden, Whole } from '~/jobs/whole.ts'
import type { Log } from '~/log.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { createSpreadChangeStore } from '~/store/distributed/spread-changes.ts'
import { createSpreadQuoteStore } from '~/store/distributed/spread-quotes.ts'
import { createWorkerStore } from '~/store/distributed/worker-store.ts'
import { WorkerWatch } from './worker-watch.ts'

type Corridors = readonly StoredCorridor[]
type OnBack = (corridors: Corridors) => Promise<void>

type SpreadDeps = { readonly database: Database; readonly clock: Clock; readonly log: Log }

/** Handles a database on several servers. */
export class Spread {
  readonly whole: Whole
  readonly workers: WorkerWatch
  #missing: ReadonlySet<string> = new Set()
  #onBack: OnBack = async () => {}
  /** Replacement for reading observations as one server shows them. */
  readonly quotes

  private constructor({ database, clock, log }: SpreadDeps) {
    const quotes = createSpreadQuoteStore(database)
    const store = createWorkerStore(database)
    this.workers = new WorkerWatch({ store, log, onBack: (corridors) => this.#onBack(corridors) })
    const live = async (nowMs: number, hidden: Hidden | null, asked: Corridors | null) => {
      const divided = await this.workers.divided()
      const isAway = new Set(divided?.away.map(({ id }) => id))
      const here = (asked ?? divided?.here)?.map(({ id }) => id).filter((id) => !isAway.has(id))
      const loaded = await quotes.live(nowMs, hidden, here ?? null)
      this.#missing = new Set(divided?.away.map(corridorKey))
      return loaded
    }
    const changes = createSpreadChangeStore(database)
    const withdrawnAmong = async (asked: readonly number[]): Promise<readonly Quote[]> => {
      const here = (await this.workers.divided())?.here
      return quotes.withdrawnAmong(asked, here?.map(({ id }) => id) ?? null)
    }
    // A frozen server would keep the connection of each query until it is back.
    const assertHere = (rows: readonly LogRow[]) => {
      if (this.workers.isAnyAway(rows.flatMap(({ spread }) => spread?.corridorIds ?? [])))
        throw new Error('a worker that keeps these rows is unreachable')
    }
    const ofChanges = async (rows: readonly LogRow[]) => {
      assertHere(rows)
      return quotes.ofChanges(rows)
    }
    const hasWitnesses = async (row: LogRow) => {
      assertHere([row])
      return quotes.hasWitnesses(row)
    }
    this.whole = new Whole({
      changes,
      quotes: { live, withdrawnAmong, ofChanges, hasWitnesses },
      clock,
      pause,
    })
    const missing = () => this.#missing
    this.quotes = { live: this.whole.live.bind(this.whole), missing, withdrawnAmong }
  }

  /** Null for one PostgreSQL. */
  static async of(deps: SpreadDeps): Promise<Spread | null> {
    return (await isDistributed(deps.database.sql)) ? new Spread(deps) : null
  }

  /** Calls `onBack` with corridors whose servers are back: a load may lack their rows. */
  loaded(onBack: OnBack): void {
    this.#onBack = onBack
  }

  get jobs(): Job[] {
    const run = () => this.whole.look()
    return [...this.workers.jobs, { name: 'look-whole', pattern: '* * * * * *', run }]
  }
}
