import { type HealthDeps, UNREADINESSES, unreadinessOf } from '~/http/health.ts'
import type { SilenceWatch } from '~/jobs/watch-providers.ts'
import type { Memory } from '~/memory/memory.ts'
import { doubtfulMidsOf, doubtfulPegsOf } from '~/service/doubtful.ts'
import { type Family, gaugeOf, secondsOf } from '~/telemetry/families.ts'

export type ReadinessSources = {
  readonly health: HealthDeps
  readonly silence: Pick<SilenceWatch, 'silent' | 'partly'>
  readonly memory: Memory
}

/** Metrics of whether a replica, its providers and the pegs do what is expected of them. */
export const readinessMetrics = ({ health, silence, memory }: ReadinessSources): Family[] => [
  gaugeOf(['unready', '1 for the reason why /readyz says 503'], async () => {
    const found = await unreadinessOf(health)
    return UNREADINESSES.map((reason) => [{ reason }, reason === found ? 1 : 0])
  }),
  ...workerMetrics(health),
  gaugeOf(
    [
      'provider_silent_seconds',
      'How long a provider that fell silent, by its usual interval, has sent nothing',
    ],
    () =>
      silence.silent.map(({ providerId, quietMs }) => [
        { provider: providerId },
        secondsOf(quietMs),
      ]),
  ),
  gaugeOf(
    [
      'provider_silent_corridors',
      'For how many corridors a provider that goes on sending fell silent, by their intervals',
    ],
    () => silence.partly.map(({ providerId, corridors }) => [{ provider: providerId }, corridors]),
  ),
  gaugeOf(
    [
      'doubtful_peg_ratio',
      'How far feeds put a peg off that they contradict, as a share of the peg',
    ],
    () =>
      doubtfulPegsOf(memory.current).map(({ currency, offPct }) => [
        { currency },
        Math.abs(offPct) / 100,
      ]),
  ),
  gaugeOf(
    [
      'doubtful_mid',
      '1 for a mid that feeds disagree on, or that one feed alone moved by more than 5 %',
    ],
    () =>
      doubtfulMidsOf(memory.current).map(({ currency, movePct }) => [
        { currency, reason: movePct === null ? 'disputed' : 'moved_by_one_feed' },
        1,
      ]),
  ),
]

/** Metrics of the servers of a distributed database, without samples for one PostgreSQL. */
function workerMetrics({ workers }: HealthDeps): Family[] {
  const figures = () => (workers ? [workers()] : [])
  return [
    gaugeOf(['database_workers', 'Servers that keep the history of a distributed database'], () =>
      figures().flatMap(({ workers: all, away }) => [
        [{ state: 'answers' }, all - away],
        [{ state: 'away' }, away],
      ]),
    ),
    gaugeOf(
      ['database_corridors_away', 'Corridors whose history is on a server that does not answer'],
      () => figures().map(({ corridors }) => [{}, corridors]),
    ),
    gaugeOf(
      [
        'database_corridors_unloaded',
        'Corridors without live prices, as their server has not answered since the start',
      ],
      () => figures().map(({ unloaded }) => [{}, unloaded]),
    ),
  ]
}
