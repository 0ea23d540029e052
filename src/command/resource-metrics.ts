import type { ToolServer } from '~/mcp/endpoint.ts'
import type { Memory } from '~/memory/memory.ts'
import type { UsageMeter } from '~/memory/usage-meter.ts'
import type { WindowCache } from '~/memory/window-cache.ts'
import { type Database, poolOf } from '~/store/database.ts'
import { counter, type Family, gauge } from '~/telemetry/families.ts'

export type ResourceSources = {
  readonly memory: Memory
  readonly meter: UsageMeter
  readonly windows: WindowCache
  readonly tools: ToolServer
  readonly database: Database
}

/** What the parts of a service keep count of themselves. */
export const resourceMetrics = ({ meter, windows, tools, database }: ResourceSources): Family[] => [
  counter(
    ['quota_rejections_total', 'Reads and tool calls turned away: the quota is used'],
    () => meter.rejections,
  ),
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
  ...windowMetrics(windows),
  gauge(['mcp_sessions', 'Open sessions of the tool server'], () => tools.sessions.size),
  gauge(['mcp_streams', 'Open streams of the tool server'], () => tools.sessions.streams),
  gauge(['mcp_requests_waiting', 'Requests of the tool server on their way'], () => tools.waiting),
]

const windowMetrics = (windows: WindowCache): Family[] => [
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
