import type { Clock } from '~/clock.ts'
import { dayOf } from '~/domain/quota.ts'
import type { ConnectionLimiter } from '~/http/edge/connection-limiter.ts'
import { type HealthDeps, UNREADINESSES, unreadinessOf } from '~/http/health.ts'
import type { SilenceWatch } from '~/jobs/watch-providers.ts'
import type { Memory } from '~/memory/memory.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import type { Deliveries } from '~/runtime/alert/deliveries.ts'
import type { StorageWatch } from '~/runtime/storage/storage-watch.ts'
import type { Streams } from '~/runtime/stream/streams.ts'
import { doubtfulMidsOf, doubtfulPegsOf } from '~/service/doubtful.ts'
import { type Database, type PoolFigures, poolOf } from '~/store/database.ts'
import {
  counter,
  counterOf,
  type Family,
  gauge,
  gaugeOf,
  type Sample,
  secondsOf,
} from '~/telemetry/families.ts'
import type { RowFigures } from '~/telemetry/row-figures.ts'
import type { ReadReplicas } from './read-replicas.ts'
import type { Recorder } from './recorder.ts'

export type ResourceSources = ReadinessSources & {
  readonly memory: Memory
  readonly meter: UsageMeter
  readonly windows: WindowCache
  readonly database: Database
  readonly readReplicas: Pick<ReadReplicas, 'replicas' | 'work' | 'pools'>
  readonly store: Pick<Recorder, 'limit'>
  readonly limiter: ConnectionLimiter
  readonly deliveries: Pick<Deliveries, 'figures'>
  readonly streams: StreamSources
  readonly storage: Pick<StorageWatch, 'metrics'>
  readonly evidence: { readonly metrics: readonly Family[] }
  readonly rows: Pick<RowFigures, 'metrics'>
  readonly clock: Clock
}

/** Metrics that the parts of a service count themselves. */
export const resourceMetrics = (sources: ResourceSources): Family[] => [
  ...readinessMetrics(sources),
  ...databaseMetrics(sources),
  ...workMetrics(sources),
  ...replicaMetrics(sources),
  ...windowMetrics(sources),
  ...connectionLimiterMetrics(sources),
  ...sources.deliveries.figures.metrics,
  ...streamMetrics(sources.streams),
  ...sources.storage.metrics,
  ...sources.evidence.metrics,
  ...sources.rows.metrics,
  busiestAccounts(sources),
  counter(
    ['quota_rejections_total', 'Reads and tool calls turned away: the quota is used'],
    () => sources.meter.rejections,
  ),
  counter(
    ['quota_waits_total', 'Reads and tool calls that waited for a share of their quota'],
    () => sources.meter.shares?.waits ?? 0,
  ),
]

/** The number of accounts that are named with their usage. */
const BUSIEST = 10

const busiestAccounts = ({ meter, clock }: ResourceSources): Family =>
  gaugeOf(
    [
      'account_units',
      'Units that the busiest accounts have used today, as far as this process knows',
    ],
    () =>
      meter
        .busiest(dayOf(clock.now()), BUSIEST)
        .map(({ accountId, units }) => [{ account: accountId }, units]),
  )

const connectionLimiterMetrics = ({ limiter }: ResourceSources): Family[] => [
  gauge(['accepting', '1 while new connections are accepted'], () => (limiter.isShut ? 0 : 1)),
  counter(
    ['connections_crowded_total', 'Times that idle connections were closed for lack of room'],
    () => limiter.crowds,
  ),
  counter(
    ['connections_refused_total', 'Times that new connections began to be refused'],
    () => limiter.refusals,
  ),
]

/** Metrics of the database connections; queries about the past have their own. */
function databaseMetrics({ database, readReplicas }: ResourceSources): Family[] {
  const pools = () => Object.entries({ main: [poolOf(database.sql)], history: readReplicas.pools })
  const sizes = (what: keyof PoolFigures): Sample<number>[] =>
    pools().map(([pool, figures]) => [{ pool }, summed(figures, what)])
  return [
    gaugeOf(['database_connections', 'Connections of a pool by state'], function* () {
      for (const [pool, figures] of pools())
        for (const state of ['idle', 'used', 'connecting'] as const)
          yield [{ pool, state }, summed(figures, state)]
    }),
    gaugeOf(['database_connections_max', 'Connections that a pool may have'], () => sizes('size')),
    gaugeOf(['database_queries_waiting', 'Queries that wait for a connection'], () =>
      sizes('waiting'),
    ),
  ]
}

/** Metrics of work that is limited, so that a flood of it leaves room for other work. */
function workMetrics({ readReplicas, store }: ResourceSources): Family[] {
  const kinds = () =>
    Object.entries({ history: readReplicas.work, recording: [store.limit.figures] })
  return [
    gaugeOf(
      [
        'database_work',
        'Queries about the past and recordings, running or waiting for the database',
      ],
      function* () {
        for (const [kind, figures] of kinds())
          for (const state of ['running', 'waiting'] as const)
            yield [{ kind, state }, summed(figures, state)]
      },
    ),
    counterOf(
      [
        'database_work_refused_total',
        'Queries about the past and recordings, refused because too many were waiting',
      ],
      () => kinds().map(([kind, figures]) => [{ kind }, summed(figures, 'refused')]),
    ),
  ]
}

const summed = <K extends string>(all: readonly Readonly<Record<K, number>>[], what: K): number =>
  all.reduce((sum, figures) => sum + figures[what], 0)

const replicaMetrics = ({ readReplicas }: ResourceSources): Family[] => [
  gaugeOf(
    [
      'read_replica_lag_seconds',
      'How far a read replica is behind; infinite while it does not respond',
    ],
    () => readReplicas.replicas.map(({ where, lagMs }) => [{ replica: where }, secondsOf(lagMs)]),
  ),
  gaugeOf(['read_replica_used', '1 while a read replica is recent enough to be used'], () =>
    readReplicas.replicas.map(({ where, isUsed }) => [{ replica: where }, isUsed ? 1 : 0]),
  ),
]

const windowMetrics = ({ windows }: ResourceSources): Family[] => [
  counter(
    ['window_cache_hits_total', 'History responses found in the cache'],
    () => windows.figures.hits,
  ),
  counter(
    ['window_cache_misses_total', 'History responses computed'],
    () => windows.figures.misses,
  ),
  counter(
    ['window_cache_evictions_total', 'History responses dropped for lack of room'],
    () => windows.figures.evictions,
  ),
  counter(
    ['window_cache_invalidations_total', 'History responses dropped because of new data'],
    () => windows.figures.invalidations,
  ),
  gauge(['window_cache_entries', 'History responses cached'], () => windows.figures.entries),
  gauge(['window_cache_bytes', 'Memory they take, estimated'], () => windows.figures.bytes),
]

type StreamSources = {
  readonly hub: Pick<Streams['hub'], 'figures'>
  readonly slots: Pick<Streams['slots'], 'figures'>
  readonly open: Pick<Streams['open'], 'ended'>
}

/** Metrics of this process's streams; subscriptions of the tool server count with them. */
const streamMetrics = ({ hub, slots, open }: StreamSources): Family[] => {
  const byTier = (what: 'readers' | 'sent' | 'resets'): Sample<number>[] => {
    const { realtime, hourly } = hub.figures
    const tiers = Object.entries({ realtime, hourly })
    return tiers.map(([tier, figures]) => [{ tier }, figures[what]])
  }
  const byReason = (counts: Readonly<Record<string, number>>): Sample<number>[] =>
    Object.entries(counts).map(([reason, count]) => [{ reason }, count])
  const slow = () => hub.figures.realtime.slow + hub.figures.hourly.slow
  return [
    gaugeOf(['streams_open', 'Open streams by tier'], () => byTier('readers')),
    gauge(['streams_max', 'Streams that may be open'], () => slots.figures.openMax),
    counterOf(
      [
        'streams_refused_total',
        'Streams refused because the account, or this process, has its share open',
      ],
      () => byReason(slots.figures.refused),
    ),
    counterOf(['streams_ended_total', 'Streams that this process ended, by the reason'], () =>
      byReason({ ...open.ended, slow: slow() }),
    ),
    counterOf(['stream_events_total', 'Events sent by tier'], () => byTier('sent')),
    counterOf(['stream_resets_total', 'Times that a reader had to ask for everything again'], () =>
      byTier('resets'),
    ),
    gauge(
      ['stream_kept_events', 'Events retained for returning readers of the realtime tier'],
      () => hub.figures.ring.events,
    ),
    gauge(['stream_kept_bytes', 'Memory that they take, estimated'], () => hub.figures.ring.bytes),
  ]
}

type ReadinessSources = {
  readonly health: HealthDeps
  readonly silence: Pick<SilenceWatch, 'silent' | 'partly'>
  readonly memory: Memory
}

/** Metrics of whether a replica, its providers and the pegs behave as expected. */
const readinessMetrics = ({ health, silence, memory }: ReadinessSources): Family[] => [
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
      ['database_corridors_away', 'Corridors whose history is on a server that does not respond'],
      () => figures().map(({ corridors }) => [{}, corridors]),
    ),
    gaugeOf(
      [
        'database_corridors_unloaded',
        'Corridors without live prices, as their server has not responded since the start',
      ],
      () => figures().map(({ unloaded }) => [{}, unloaded]),
    ),
  ]
}
