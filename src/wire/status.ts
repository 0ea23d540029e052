import { type Static, Type } from '@sinclair/typebox'
import type { Status } from '~/service/status.ts'
import { Instant, namedRecord, nullable, record, words } from './fields.ts'
import { iso } from './present.ts'

/** The label of the interface's version, as in its base path. */
export const API_VERSION = 'v1'

export const StatusResponse = namedRecord('StatusResponse', {
  status: words(['ok', 'degraded'], {
    description: '`degraded` when the newest mid-market reference is no longer recent.',
  }),
  version: Type.String({ examples: [API_VERSION] }),
  corridors: Type.Integer(),
  providers: Type.Integer(),
  last_rate_update: nullable(Instant),
  mid_feed: record({
    source: nullable(Type.String()),
    last_fetched: nullable(Instant),
    age_seconds: nullable(Type.Integer()),
  }),
  sample: Type.Optional(Type.String({ description: 'Present when the data is a demonstration.' })),
  timestamp: Instant,
})

/** `sample` says what a demonstration does to its data; null for real data. */
export function presentStatus(
  { corridorCount, providerCount, lastRateMs, feed, isMidRecent }: Status,
  { nowMs, sample }: { nowMs: number; sample: string | null },
): Static<typeof StatusResponse> {
  return {
    status: isMidRecent ? 'ok' : 'degraded',
    version: API_VERSION,
    corridors: corridorCount,
    providers: providerCount,
    last_rate_update: lastRateMs === null ? null : iso(lastRateMs),
    mid_feed: {
      source: feed?.source ?? null,
      last_fetched: feed && iso(feed.atMs),
      age_seconds: feed && Math.max(0, Math.floor((nowMs - feed.atMs) / 1000)),
    },
    ...(sample !== null && { sample }),
    timestamp: iso(nowMs),
  }
}
