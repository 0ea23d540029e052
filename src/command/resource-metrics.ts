import type { ToolServer } from '~/mcp/endpoint.ts'
import type { Memory } from '~/memory/memory.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import type { WorkFigures } from '~/service/work-limit.ts'
import { type Database, poolOf } from '~/store/database.ts'
import { counter, type Family, gauge, secondsOf } from '~/telemetry/families.ts'
import type { Readers } from './readers.ts'
import type { Recorder } from './recorder.ts'

export type ResourceSources = {
  readonly memory: Memory
  readonly meter: UsageMeter
  readonly windows: WindowCache
  readonly tools: ToolServer
  readonly database: Database
  readonly readers: Pick<Readers, 'replicas' | 'work'>
  readonly store: Pick<Recorder, 'limit'>
}

/** What the parts of a service keep count of themselves. */
export const resourceMetrics = (sources: ResourceSources): Family[] => [
  ...databaseMetrics(sources),
  ...workMetrics(sources),
  ...replicaMetrics(sources),
  ...windowMetrics(sources),
  ...toolMetrics(sources),
  counter(
    ['quota_rejections_total', 'Reads and tool calls turned away: the quota is used'],
    () => sources.meter.rejections,
  ),
]

const databaseMetrics = ({ database }: ResourceSources): Family[] => [
  {
    name: 'corridor_database_connections',
    help: 'Connections of the pool by what they are at',
    type: 'gauge',
    labels: ['state'],
    read() {
      const { idle, used, connecting } = poolOf(database.sql)
      return Object.entries({ idle, used, connecting }).map(([state, n]) => [{ state }, n])
    },
  },
  gauge(
    ['database_connections_max', 'Connections that the pool may have'],
    () => poolOf(database.sql).size,
  ),
  gauge(
    ['database_queries_waiting', 'Queries that wait for a connection'],
    () => poolOf(database.sql).waiting,
  ),
]

/** Work that is held back so that a flood of it leaves the database to others. */
function workMetrics({ readers, store }: ResourceSources): Family[] {
  const kinds = () => ({ history: summed(readers.work), recording: store.limit.figures })
  return [
    {
      name: 'corridor_database_work',
      help: 'Questions about the past, and recordings, that the database is at or that wait',
      type: 'gauge',
      labels: ['kind', 'state'],
      *read() {
        for (const [kind, { running, waiting }] of Object.entries(kinds())) {
          yield [{ kind, state: 'running' }, running]
          yield [{ kind, state: 'waiting' }, waiting]
        }
      },
    },
    {
      name: 'corridor_database_work_refused_total',
      help: 'The same, refused because too much of it waited',
      type: 'counter',
      labels: ['kind'],
      *read() {
        for (const [kind, { refused }] of Object.entries(kinds())) yield [{ kind }, refused]
      },
    },
  ]
}

const summed = (works: readonly WorkFigures[]): WorkFigures => ({
  running: works.reduce((sum, { running }) => sum + running, 0),
  waiting: works.reduce((sum, { waiting }) => sum + waiting, 0),
  refused: works.reduce((sum, { refused }) => sum + refused, 0),
})

const replicaMetrics = ({ readers }: ResourceSources): Family[] => [
  {
    name: 'corridor_read_replica_lag_seconds',
    help: 'How far a read replica is behind; infinite while it does not answer',
    type: 'gauge',
    labels: ['replica'],
    read: () => readers.replicas.map(({ where, lagMs }) => [{ replica: where }, secondsOf(lagMs)]),
  },
  {
    name: 'corridor_read_replica_used',
    help: '1 while a read replica is near enough to be asked',
    type: 'gauge',
    labels: ['replica'],
    read: () => readers.replicas.map(({ where, isUsed }) => [{ replica: where }, isUsed ? 1 : 0]),
  },
]

const toolMetrics = ({ tools }: ResourceSources): Family[] => [
  gauge(['mcp_sessions', 'Open sessions of the tool server'], () => tools.sessions.size),
  gauge(['mcp_streams', 'Open streams of the tool server'], () => tools.sessions.streams),
  gauge(['mcp_requests_waiting', 'Requests of the tool server on their way'], () => tools.waiting),
]

const windowMetrics = ({ windows }: ResourceSources): Family[] => [
  counter(['window_cache_hits_total', 'History answers found'], () => windows.figures.hits),
  counter(['window_cache_misses_total', 'History answers made'], () => windows.figures.misses),
  counter(
    ['window_cache_evictions_total', 'History answers dropped for want of room'],
    () => windows.figures.evictions,
  ),
  counter(
    ['window_cache_invalidations_total', 'History answers dropped because of news'],
    () => windows.figures.invalidations,
  ),
  gauge(['window_cache_entries', 'History answers kept'], () => windows.figures.entries),
  gauge(['window_cache_bytes', 'Memory they take, estimated'], () => windows.figures.bytes),
]
