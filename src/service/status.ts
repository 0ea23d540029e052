import { MINUTE_MS } from '~/domain/duration.ts'
import type { ConnectorRecord } from '~/domain/feed/connector.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { Reference } from '~/domain/mid.ts'
import type { DoubtfulPeg } from '~/domain/price/doubtful-peg.ts'
import type { SourceRecord } from '~/domain/source/state.ts'
import type { View } from '~/memory/view.ts'
import { liveCorridors } from './corridors.ts'
import { type DoubtfulMid, doubtfulMidsOf, doubtfulPegsOf } from './doubtful.ts'

export type Status = {
  readonly corridorCount: number
  readonly providerCount: number
  /** The time when the newest quote took effect; null before the first. */
  readonly lastRateMs: number | null
  /** The newest reference of the feed; null before its first. */
  readonly feed: Reference | null
  /** Says whether the newest reference still counts as recent. */
  readonly isMidRecent: boolean
  readonly feeds: FeedState
  readonly sources: readonly SourceRecord[]
  readonly connectors: readonly ConnectorRecord[]
  readonly doubtfulPegs: readonly DoubtfulPeg[]
  /** The mids that feeds disagree on, or that one feed alone moved far. */
  readonly doubtfulMids: readonly DoubtfulMid[]
}

export function statusOf(view: View): Status {
  const { references, quotes, feeds, sources, connectors } = view.generation
  const feed = references.newest(view.freshness.cutoffMs) ?? null
  for (const atMs of [feed?.atMs ?? null, ...feeds.feeds.map(({ succeededMs }) => succeededMs)])
    if (atMs !== null) view.basis.lastUntil(secondEndMs(atMs, view.freshness.nowMs))
  if (sources.length > 0) view.basis.lastUntil(minuteEndMs(view.freshness.nowMs))
  return {
    corridorCount: liveCorridors(view).length,
    providerCount: view.catalogue.providers.length,
    lastRateMs: quotes.lastUpdatedMs,
    feed,
    isMidRecent: feed !== null && view.isRecent(feed.atMs),
    feeds,
    sources,
    connectors,
    doubtfulPegs: doubtfulPegsOf(view.generation),
    doubtfulMids: doubtfulMidsOf(view.generation),
  }
}

/** The last millisecond of this minute: a bank is late by the minute at which it should publish. */
const minuteEndMs = (nowMs: number): number => nowMs - (nowMs % MINUTE_MS) + MINUTE_MS - 1

/** The last time at which `atMs` is still as many whole seconds ago as it is now. */
const secondEndMs = (atMs: number, nowMs: number): number =>
  nowMs + 999 - ((((nowMs - atMs) % 1000) + 1000) % 1000)
