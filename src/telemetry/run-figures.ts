import { type Clock, monotonicMs } from '~/clock.ts'
import { counterOf, type Family, gaugeOf, histogramOf, type Sample, secondsOf } from './families.ts'
import { Timings, WORK_BOUNDS_MS } from './timings.ts'

/** History of one kind of background work: a job, or a feed's responses. */
class RunFigures {
  readonly timings = new Timings(WORK_BOUNDS_MS)
  successes = 0
  failures = 0
  /** Null before the first. */
  succeededMs: number | null = null
}

type Kind = {
  /** The start of its metrics' names. */
  readonly metric: 'job' | 'feed' | 'source'
  /** The label for the name. `job` cannot be used: Prometheus puts its own there. */
  readonly label: 'task' | 'feed' | 'source'
  readonly noun: string
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

  /** Outcomes, times and the last success of each, as metrics. */
  metrics({ metric, label, noun }: Kind): Family[] {
    const ledger = this
    const each = function* <T>(read: (figures: RunFigures) => T): Generator<Sample<T>> {
      for (const [name, figures] of ledger.all) yield [{ [label]: name }, read(figures)]
    }
    return [
      counterOf([`${metric}_runs_total`, `${noun} by outcome`], function* () {
        for (const [name, { successes, failures }] of ledger.all) {
          yield [{ [label]: name, outcome: 'success' }, successes]
          yield [{ [label]: name, outcome: 'failure' }, failures]
        }
      }),
      histogramOf([`${metric}_duration_seconds`, `Time that ${noun.toLowerCase()} took`], () =>
        each<Timings>(({ timings }) => timings),
      ),
      gaugeOf(
        [`${metric}_last_success_timestamp_seconds`, 'When the last one succeeded'],
        function* () {
          for (const [labels, ms] of each(({ succeededMs }) => succeededMs))
            if (ms !== null) yield [labels, secondsOf(ms)]
        },
      ),
    ]
  }

  #of(name: string): RunFigures {
    return this.#runs.getOrInsertComputed(name, () => new RunFigures())
  }
}
