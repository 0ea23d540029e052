import { counterOf, type Family, gaugeOf, type Sample, secondsOf } from './families.ts'
import type { RunFigures, RunLedger } from './run-figures.ts'
import type { Timings } from './timings.ts'

type Kind = {
  /** The start of its metrics' names. */
  readonly metric: 'job' | 'feed' | 'source'
  /** The label for the name. `job` cannot be used: Prometheus puts its own there. */
  readonly label: 'task' | 'feed' | 'source'
  readonly noun: string
}

/** Outcomes, times and the last success of every job, or of every feed or source that was asked. */
export function runMetrics(ledger: RunLedger, { metric, label, noun }: Kind): Family[] {
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
    {
      name: `corridor_${metric}_duration_seconds`,
      help: `Time that ${noun.toLowerCase()} took`,
      type: 'histogram',
      read: () => each<Timings>(({ timings }) => timings),
    },
    gaugeOf(
      [`${metric}_last_success_timestamp_seconds`, 'When the last one succeeded'],
      function* () {
        for (const [labels, ms] of each(({ succeededMs }) => succeededMs))
          if (ms !== null) yield [labels, secondsOf(ms)]
      },
    ),
  ]
}
