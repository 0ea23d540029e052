import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, monotonicMs } from '~/clock.ts'
import type { Config } from '~/config.ts'
import type { PastDeps } from '~/http/known/past.ts'
import type { Job } from '~/jobs/schedule.ts'
import type { Log } from '~/log.ts'
import type { Publication } from '~/memory/memory.ts'
import { inTime } from '~/service/deadline.ts'
import { type WorkFigures, WorkLimit } from '~/service/work-limit.ts'
import { type Database, type PoolFigures, poolOf } from '~/store/database.ts'
import { replayedPosition, writtenPosition } from '~/store/log-position.ts'
import { isOutage } from '~/store/outage.ts'
import { createFeedAnswerStore } from '~/store/past/feed-answer-store.ts'
import { createHeldStore } from '~/store/past/held-store.ts'
import { createHistoryStore } from '~/store/past/history-store.ts'
import { createSeriesStore } from '~/store/past/series-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'
import { createWorthPathStore } from '~/store/past/worth-path-store.ts'
import { readPool, readPoolAt } from '~/store/read-pool.ts'
import { rerun, wasBrokenOff } from '~/store/rerun.ts'
import { ReplayFence } from './replay-fence.ts'

export type PastStore = PastDeps['store']

type ReadReplicasDeps = {
  readonly database: Database
  readonly config: Pick<Config, 'readUrls' | 'readLagMaxMs' | 'work'>
  readonly log: Log
  /** A steady clock, used only to measure. */
  readonly clock?: Clock
}

/** The limit on asking a server for its position; one that takes longer is left out. */
const MEASURE = { msMax: 1000, message: 'no response in time' }
/** Delay after a change until the primary's position is read, once for all changes until then. */
const POSITION_WAIT_MS = 50

/**
 * The servers for queries about the past: a streaming replica that is near enough and knows every
 * change served here, else the primary.
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
    const pool = { connectionsMax: historyMax }
    this.#primary = new Target(readPool(database, pool), bounds)
    this.#replicas = config.readUrls.map((url) => new Target(readPoolAt(url, pool), bounds))
    this.#trail = new PositionTrail(config.readLagMaxMs)
    this.#nowMs = clock ? () => clock.now() : monotonicMs
  }

  /** The state of each replica, for people and metrics. */
  get replicas(): { readonly where: string; readonly lagMs: number; readonly isUsed: boolean }[] {
    return this.#replicas.map((replica) => ({
      where: replica.database.where,
      lagMs: this.#lagMs(replica),
      isUsed: this.#isNear(replica),
    }))
  }

  /** The state of the connections to each server, the primary's first. */
  get pools(): PoolFigures[] {
    return [this.#primary, ...this.#replicas].map(({ database }) => poolOf(database.sql))
  }

  /** Work of each server, the primary's first. */
  get work(): WorkFigures[] {
    return [this.#primary, ...this.#replicas].map(({ work }) => work)
  }

  /** Notes a publication of memory: a replica that has not replayed it must not serve it. */
  note(publication: Publication): void {
    if (this.#replicas.length === 0) return
    this.#fence.note(publication)
    void this.#readPosition()
  }

  /** One server's response about `sources`, which are corridors and currencies by name. */
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

  get jobs(): Job[] {
    if (this.#replicas.length === 0) return []
    return [{ name: 'measure-replicas', pattern: '* * * * * *', run: () => this.measure() }]
  }

  /** Asks every server for its position; a server that returns none is left out until it does. */
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
    if (isNear === replica.isReported) return
    replica.isReported = isNear
    const { where } = replica.database
    if (isNear) this.deps.log.info({ where }, 'read replica in use')
    else this.deps.log.warn({ where }, 'read replica left out: too far behind or away')
  }

  /** Reads the primary's position until no change is open; if that fails, the job tries again. */
  async #readPosition(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#fence.isOpen) {
        await delay(POSITION_WAIT_MS, undefined, { ref: false })
        await this.#takePosition()
      }
    } catch {
      // The primary is unreachable, so its changes stay fenced off.
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

/** A server for queries about the past. */
class Target {
  /** The position replayed when it was last asked; null when the server must not be used. */
  position: number | null = null
  /** Says whether the log last reported the server as in use; null before any report. */
  isReported: boolean | null = null
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
      ...createHeldStore(database),
      ...createWorthPathStore(database),
      ...createFeedAnswerStore(database),
    }
  }

  get work(): WorkFigures {
    return this.#limit.figures
  }

  /** Asks for the replayed position, unless an earlier query is still open. */
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

/** The resolution of the trail: a position a second is enough to state a lag in seconds. */
const STEP_MS = 1000

/**
 * The position of the primary's log at past times, by our own steady clock, for as long as a lag
 * matters. An idle primary causes no lag, since its position does not change.
 */
export class PositionTrail {
  #points: { readonly atMs: number; readonly position: number }[] = []
  #latest = 0

  constructor(private readonly reachMs: number) {}

  note(position: number, nowMs: number): void {
    this.#latest = position
    const last = this.#points.at(-1)
    if (last && nowMs - last.atMs < STEP_MS) return
    this.#points = this.#points.filter(({ atMs }) => atMs >= nowMs - this.reachMs - STEP_MS)
    this.#points.push({ atMs: nowMs, position })
  }

  /** Milliseconds since the primary was at a position, to the second; Infinity if too long ago. */
  lagMs(position: number, nowMs: number): number {
    if (position >= this.#latest) return 0
    const reached = this.#points.findLast((point) => point.position <= position)
    return reached ? nowMs - reached.atMs : Number.POSITIVE_INFINITY
  }
}
