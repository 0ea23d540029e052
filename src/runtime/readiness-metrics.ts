import { type HealthDeps, UNREADINESSES, unreadinessOf } from '~/http/health.ts'
import type { SilenceWatch } from '~/jobs/watch-providers.ts'
import type { Memory } from '~/memory/memory.ts'
import { doubtfulMidsOf, doubtfulPegsOf } from '~/service/doubtful.ts'
import { type Family, secondsOf } from '~/telemetry/families.ts'

export type ReadinessSources = {
  readonly health: HealthDeps
  readonly silence: Pick<SilenceWatch, 'silent' | 'partly'>
  readonly memory: Memory
}

/** Metrics of whether a replica, its providers and the pegs do what is expected of them. */
export const readinessMetrics = ({ health, silence, memory }: ReadinessSources): Family[] => [
  {
    name: 'corridor_unready',
    help: '1 for the reason why /readyz says 503',
    type: 'gauge',
    async read() {
      const found = await unreadinessOf(health)
      return UNREADINESSES.map((reason) => [{ reason }, reason === found ? 1 : 0])
    },
  },
  ...workerMetrics(health),
  {
    name: 'corridor_provider_silent_seconds',
    help: 'How long a provider that fell silent, by its usual interval, has sent nothing',
    type: 'gauge',
    read: () =>
      silence.silent.map(({ providerId, quietMs }) => [
        { provider: providerId },
        secondsOf(quietMs),
      ]),
  },
  {
    name: 'corridor_provider_silent_corridors',
    help: 'For how many corridors a provider that goes on sending fell silent, by their intervals',
    type: 'gauge',
    read: () =>
      silence.partly.map(({ providerId, corridors }) => [{ provider: providerId }, corridors]),
  },
  {
    name: 'corridor_doubtful_peg_ratio',
    help: 'How far feeds put a peg off that they contradict, as a share of the peg',
    type: 'gauge',
    read: () =>
      doubtfulPegsOf(memory.current).map(({ currency, offPct }) => [
        { currency },
        Math.abs(offPct) / 100,
      ]),
  },
  {
    name: 'corridor_doubtful_mid',
    help: '1 for a mid that feeds disagree on, or that one feed alone moved by more than 5 %',
    type: 'gauge',
    read: () =>
      doubtfulMidsOf(memory.current).map(({ currency, movePct }) => [
        { currency, reason: movePct === null ? 'disputed' : 'moved_by_one_feed' },
        1,
      ]),
  },
]

/** Metrics of the servers of a distributed database, without samples for one PostgreSQL. */
function workerMetrics({ workers }: HealthDeps): Family[] {
  const figures = () => (workers ? [workers()] : [])
  return [
    {
      name: 'corridor_database_workers',
      help: 'Servers that keep the history of a distributed database',
      type: 'gauge',
      read: () =>
        figures().flatMap(({ workers: all, away }) => [
          [{ state: 'answers' }, all - away],
          [{ state: 'away' }, away],
        ]),
    },
    {
      name: 'corridor_database_corridors_away',
      help: 'Corridors whose history is on a server that does not answer',
      type: 'gauge',
      read: () => figures().map(({ corridors }) => [{}, corridors]),
    },
    {
      name: 'corridor_database_corridors_unloaded',
      help: 'Corridors without live prices, as their server has not answered since the start',
      type: 'gauge',
      read: () => figures().map(({ unloaded }) => [{}, unloaded]),
    },
  ]
}
