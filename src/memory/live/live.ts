import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { Reference } from '~/domain/mid.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import { type DaySource, learnDays } from '~/memory/day-publication.ts'
import type { Generation, Memory } from '~/memory/memory.ts'
import type { Step, StepKind, StepSubscriber } from './step.ts'

/** Every corridor. */
export const ANYWHERE = '*'

/** A row of the log with the rows that it names. */
export type LoggedChange = {
  readonly position: number
  readonly kind: StepKind
  /** The time when its writer committed; for a tick the time to look at, for an hour the hour. */
  readonly atMs: number
  readonly quotes?: readonly Quote[]
  readonly withdrawn?: readonly Quote[]
  readonly references?: readonly Reference[]
  readonly catalogue?: Catalogue
}

/** The beginning of the order: everything up to `position` is in memory. */
type LiveStart = {
  readonly position: number
  readonly atMs: number
  /** The last hour that was opened; null if none is known. */
  readonly hourMs: number | null
}

/** Memory in the order of the log of changes, for readers that must receive each commit in turn. */
export type Live = Pick<
  LiveMemory,
  'position' | 'current' | 'atMs' | 'hourMs' | 'subscribe' | 'watch'
>

/** Applies the log of changes to memory in its order, and reports each step. */
export class LiveMemory {
  #atMs = 0
  #hourMs: number | null = null
  /** Whether something was applied without being reported. */
  #isUnreported = false
  readonly #subscribers = new Set<StepSubscriber>()
  readonly #watches = new Map<string, number>()

  constructor(private readonly memory: Memory) {}

  /** The position of the last step applied; 0 before the first. */
  get position(): number {
    return this.memory.positions.position
  }

  get current(): Generation {
    return this.memory.current
  }

  /** The time by which `current` is to be looked at: that of the last tick. */
  get atMs(): number {
    return this.#atMs
  }

  /** The last hour that was opened; null before the first. */
  get hourMs(): number | null {
    return this.#hourMs
  }

  /** The times from which a memory that replaces this one continues. */
  get times() {
    return { atMs: this.#atMs, hourMs: this.#hourMs }
  }

  /** The names of the corridors that are watched, or `ANYWHERE` among them. */
  get watched(): ReadonlyMap<string, number> {
    return this.#watches
  }

  /** Reports each step from now on, until the function that it returns is called. */
  subscribe(subscriber: StepSubscriber): () => void {
    this.#subscribers.add(subscriber)
    return () => void this.#subscribers.delete(subscriber)
  }

  /** Notes that time is of interest here, for ticks in realtime; the result ends it. */
  watch(corridor: Corridor | typeof ANYWHERE): () => void {
    const key = corridor === ANYWHERE ? ANYWHERE : corridorKey(corridor)
    if (this.#watches.size === 0) this.settle()
    this.#watches.set(key, (this.#watches.get(key) ?? 0) + 1)
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      const left = this.#watches.get(key)! - 1
      if (left === 0) this.#watches.delete(key)
      else this.#watches.set(key, left)
    }
  }

  /** Goes past a row of the log that means nothing here. */
  pass(position: number): void {
    this.memory.positions.reach(position)
  }

  /** Begins, or begins again: changes between the last step and this position have no steps. */
  begin({ position, atMs, hourMs }: LiveStart): void {
    this.#atMs = atMs
    this.#hourMs = hourMs
    this.#isUnreported = true
    this.memory.positions.reach(position)
  }

  /** Reports that everything may be new, if something is that had no step. */
  settle(): void {
    if (!this.#isUnreported) return
    this.#isUnreported = false
    for (const subscriber of this.#subscribers) subscriber.onGap(this.position)
  }

  /**
   * Applies the next row of the log, and reports it if `isReported`. If the references of its
   * quotes' days cannot be looked up, it is served without them, unreported, and the result is
   * false.
   */
  async apply(change: LoggedChange, days: DaySource, isReported = true): Promise<boolean> {
    const { position, kind, quotes = [], withdrawn = [], references = [], catalogue } = change
    const { memory, atMs: beforeMs } = this
    const added = { quotes, withdrawn, references, ...(catalogue && { catalogue }) }
    const isKnown = await learnDays({ memory, days }, added).then(
      () => true,
      () => false,
    )
    if (isReported && isKnown) this.settle()
    const { current: before } = this
    const opened = { ms: change.atMs, previousMs: this.#hourMs }
    if (kind === 'tick') this.#atMs = Math.max(beforeMs, change.atMs)
    if (kind === 'hour') this.#open(change.atMs)
    else if (kind !== 'tick') memory.publish(added, this.keptMs, change.atMs)
    memory.positions.reach(position)
    this.#isUnreported ||= !isReported || !isKnown
    if (this.#isUnreported) return isKnown
    const times = { atMs: this.#atMs, beforeMs, committedMs: change.atMs }
    const hour = kind === 'hour' ? opened : null
    const rows = { quotes, withdrawn, references }
    const step: Step = { position, kind, ...times, ...rows, before, after: this.current, hour }
    for (const subscriber of this.#subscribers) subscriber.onStep(step)
    return true
  }

  /** Forgets data that only readers of the hour before the last needed. */
  #open(hourMs: number): void {
    this.#hourMs = hourMs
    this.memory.prune(this.keptMs)
  }

  /**
   * The time whose boundaries are retained: those of the open hour, and of the next. A row of
   * another hour, whose writer's clock was turned, retains those of its own time too.
   */
  get keptMs(): number {
    return Math.max(this.#atMs, this.#hourMs ?? Number.NEGATIVE_INFINITY)
  }
}
