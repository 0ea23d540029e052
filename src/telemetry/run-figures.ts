import { type Clock, monotonicMs } from '~/clock.ts'
import { Timings, WORK_BOUNDS_MS } from './timings.ts'

/** History of one kind of background work: a job, or a feed's responses. */
export class RunFigures {
  readonly timings = new Timings(WORK_BOUNDS_MS)
  successes = 0
  failures = 0
  /** Null before the first. */
  succeededMs: number | null = null
}

/** The metrics of every work, by its name. Names are ours, so there are few. */
export class RunLedger {
  readonly #runs = new Map<string, RunFigures>()

  constructor(private readonly clock: Clock) {}

  /** Does the work and records its outcome; a rejection is passed on. */
  async entered<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const figures = this.#of(name)
    const startMs = monotonicMs()
    try {
      const result = await work()
      figures.successes++
      figures.succeededMs = this.clock.now()
      return result
    } catch (error) {
      figures.failures++
      throw error
    } finally {
      figures.timings.add(monotonicMs() - startMs)
    }
  }

  get all(): Iterable<readonly [name: string, figures: RunFigures]> {
    return this.#runs
  }

  #of(name: string): RunFigures {
    return this.#runs.getOrInsertComputed(name, () => new RunFigures())
  }
}
