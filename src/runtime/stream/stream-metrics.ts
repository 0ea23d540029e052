import { type Family, gauge, type Sample } from '~/telemetry/families.ts'
import type { Streams } from './streams.ts'

export type StreamSources = {
  readonly hub: Pick<Streams['hub'], 'figures'>
  readonly seats: Pick<Streams['seats'], 'figures'>
  readonly open: Pick<Streams['open'], 'ended'>
}

/** Metrics of this process's streams; subscriptions of the tool server count with them. */
export const streamMetrics = ({ hub, seats, open }: StreamSources): Family[] => {
  const byTier = (what: 'readers' | 'told' | 'resets'): Sample<number>[] => {
    const { realtime, hourly } = hub.figures
    const tiers = Object.entries({ realtime, hourly })
    return tiers.map(([tier, figures]) => [{ tier }, figures[what]])
  }
  const byReason = (counts: Readonly<Record<string, number>>): Sample<number>[] =>
    Object.entries(counts).map(([reason, count]) => [{ reason }, count])
  const slow = () => hub.figures.realtime.slow + hub.figures.hourly.slow
  return [
    {
      ...{ name: 'corridor_streams_open', help: 'Open streams by tier', type: 'gauge' },
      read: () => byTier('readers'),
    },
    gauge(['streams_max', 'Streams that may be open'], () => seats.figures.openMax),
    {
      name: 'corridor_streams_refused_total',
      help: 'Streams refused because the account, or this process, has its share open',
      type: 'counter',
      read: () => byReason(seats.figures.refused),
    },
    {
      name: 'corridor_streams_ended_total',
      help: 'Streams that this process ended, by the reason',
      type: 'counter',
      read: () => byReason({ ...open.ended, slow: slow() }),
    },
    {
      ...{ name: 'corridor_stream_events_total', help: 'Events sent by tier', type: 'counter' },
      read: () => byTier('told'),
    },
    {
      name: 'corridor_stream_resets_total',
      help: 'Times that a reader had to ask for everything again',
      type: 'counter',
      read: () => byTier('resets'),
    },
    gauge(
      ['stream_kept_events', 'Events kept for readers of the realtime tier who come back'],
      () => hub.figures.ring.events,
    ),
    gauge(['stream_kept_bytes', 'Memory that they take, estimated'], () => hub.figures.ring.bytes),
  ]
}
