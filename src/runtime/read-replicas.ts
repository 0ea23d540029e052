import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, monotonicMs } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { News } from '~/memory/memory.ts'
import { inTime } from '~/service/deadline.ts'
import { type WorkFigures, WorkLimit } from '~/service/work-limit.ts'
import { type Database, type PoolFigures, poolOf } from '~/store/database.ts'
import { replayedPosition, writtenPosition } from '~/store/log-position.ts'
import { isOutage } from '~/store/outage.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { readPool, readPoolAt } from '~/store/read-pool.ts'
import { rerun, wasBrokenOff } from '~/store/rerun.ts'
import { PositionTrail } from './position-trail.ts'
import { ReplayFence } from './replay-fence.ts'

export type PastStore = ReturnType<typeof createHistoryStore> &
  ReturnType<typeof createSeriesStore> &
  ReturnType<typeof createSnapshotStore>

type ReadReplicasDeps = {
  readonly database: Database
  readonly config: Pick<Config, 'readUrls' | 'readLagMaxMs' | 'work'>
  readonly log: Log
  /** Steady; it only measures. */
  readonly clock?: Clock
}

/** Longer than any answer is waited for. */
const STATEMENT_MS_MAX = 11_000
/** What a server takes longer for than this, it is not asked for. */
const MEASURE = { msMax: 1000, message: 'no answer in time' }
/** After a change the primary's position is read so soon, once for all changes meanwhile. */
const POSITION_WAIT_MS = 50

/**
 * Who answers questions about the past: a streaming replica that is near enough and knows every
 * change that is served here, else the primary.
 */
export class ReadReplicas {
  readonly #primary: Target
  readonly #replicas: readonly Target[]
  readonly #fence = new ReplayFence()
  readonly #trail: PositionTrail
  readonly #nowMs: () => number
  #isReading = false

  constructor(private readonly deps: ReadReplicasDeps) {
    const { database, config, clock } = deps
    const { historyMax, waitingMax } = config.work
    const bounds = { runningMax: historyMax, waitingMax }
    const pool = { connectionsMax: historyMax, statementMsMax: STATEMENT_MS_MAX }
    this.#primary = new Target(readPool(database, pool), bounds)
    this.#replicas = config.readUrls.map((url) => new Target(readPoolAt(url, pool), bounds))
    this.#trail = new PositionTrail(config.readLagMaxMs)
    this.#nowMs = clock ? () => clock.now() : monotonicMs
  }

  /** How each replica stands; for people and figures. */
  get replicas(): { readonly where: string; readonly lagMs: number; readonly isUsed: boolean }[] {
    return this.#replicas.map((replica) => ({
      where: replica.database.where,
      lagMs: this.#lagMs(replica),
      isUsed: this.#isNear(replica),
    }))
  }

  /** What the connections to each server are at, the primary's first. */
  get pools(): PoolFigures[] {
    return [this.#primary, ...this.#replicas].map(({ database }) => poolOf(database.sql))
  }

  /** How much work each server has, the primary's first. */
  get work(): WorkFigures[] {
    return [this.#primary, ...this.#replicas].map(({ work }) => work)
  }

  /** What memory publishes: a replica that has not replayed it must not answer for it. */
  note(news: News): void {
    if (this.#replicas.length === 0) return
    this.#fence.note(news)
    void this.#readPosition()
  }

  /** An answer about `sources`, corridors and currencies by name, as one of the servers has it. */
  async ask<T>(sources: readonly string[], question: (store: PastStore) => Promise<T>): Promise<T> {
    const replica = this.#replicaFor(sources)
    if (!replica) return this.#primary.ask(question)
    try {
      return await replica.ask(question)
    } catch (error) {
      if (!isOutage(error) && !wasBrokenOff(error)) throw error
      replica.position = null
      return this.#primary.ask(question)
    }
  }

  /** None where there are no replicas. */
  get jobs(): Job[] {
    if (this.#replicas.length === 0) return []
    return [{ name: 'measure-replicas', pattern: '* * * * * *', run: () => this.measure() }]
  }

  /** Asks every server where it stands; one that does not say is left out until it does. */
  async measure(): Promise<void> {
    await Promise.all([
      this.#takePosition().catch(() => {}),
      ...this.#replicas.map((replica) => this.#measureReplica(replica)),
    ])
    const positions = this.#replicas.flatMap(({ position }) => position ?? [])
    if (positions.length === this.#replicas.length) this.#fence.forgetUpTo(Math.min(...positions))
  }

  async stop(): Promise<void> {
    await Promise.all([this.#primary, ...this.#replicas].map(({ database }) => database.close()))
  }

  #replicaFor(sources: readonly string[]): Target | undefined {
    const able = this.#replicas.filter(
      (replica) =>
        this.#isNear(replica) &&
        this.#fence.isKnownAt(replica.position!, sources) &&
        replica.isFree,
    )
    return able.sort((a, b) => a.running - b.running)[0]
  }

  #lagMs({ position }: Target): number {
    return position === null ? Number.POSITIVE_INFINITY : this.#trail.lagMs(position, this.#nowMs())
  }

  #isNear = (replica: Target): boolean => this.#lagMs(replica) <= this.deps.config.readLagMaxMs

  async #measureReplica(replica: Target): Promise<void> {
    try {
      replica.position = await inTime(replica.replayed(), MEASURE)
    } catch {
      replica.position = null
    }
    const isNear = this.#isNear(replica)
    if (isNear === replica.isToldOf) return
    replica.isToldOf = isNear
    const { where } = replica.database
    if (isNear) this.deps.log.info({ where }, 'read replica in use')
    else this.deps.log.warn({ where }, 'read replica left out: too far behind or away')
  }

  /** Reads the primary's position until no change is open; failing that, the job does. */
  async #readPosition(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#fence.isOpen) {
        await delay(POSITION_WAIT_MS, undefined, { ref: false })
        await this.#takePosition()
      }
    } catch {
      // the primary is away: its changes stay fenced off
    } finally {
      this.#isReading = false
    }
  }

  async #takePosition(): Promise<void> {
    const { changes } = this.#fence
    const position = await inTime(writtenPosition(this.deps.database), MEASURE)
    this.#fence.reach(position, changes)
    this.#trail.note(position, this.#nowMs())
  }
}

/** One server that is asked about the past. */
class Target {
  /** How far it had replayed when it was last asked; null when it is not to be asked. */
  position: number | null = null
  /** Whether the log was last told that it is in use; null before it was told anything. */
  isToldOf: boolean | null = null
  readonly #store: PastStore
  #replayed: Promise<number | null> | null = null
  readonly #limit: WorkLimit

  constructor(
    readonly database: Database,
    private readonly bounds: ConstructorParameters<typeof WorkLimit>[0],
  ) {
    this.#limit = new WorkLimit(bounds)
    this.#store = {
      ...createHistoryStore(database),
      ...createSeriesStore(database),
      ...createSnapshotStore(database),
    }
  }

  get work(): WorkFigures {
    return this.#limit.figures
  }

  /** Asks how far it is; not again while it has not said so. */
  replayed(): Promise<number | null> {
    this.#replayed ??= replayedPosition(this.database).finally(() => {
      this.#replayed = null
    })
    return this.#replayed
  }

  get running(): number {
    return this.work.running
  }

  get isFree(): boolean {
    return this.running < this.bounds.runningMax
  }

  ask<T>(question: (store: PastStore) => Promise<T>): Promise<T> {
    return this.#limit.run(() => rerun(() => question(this.#store)))
  }
}
