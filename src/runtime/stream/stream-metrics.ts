import { counterOf, type Family, gauge, gaugeOf, type Sample } from '~/telemetry/families.ts'
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
    gaugeOf(['streams_open', 'Open streams by tier'], () => byTier('readers')),
    gauge(['streams_max', 'Streams that may be open'], () => seats.figures.openMax),
    counterOf(
      [
        'streams_refused_total',
        'Streams refused because the account, or this process, has its share open',
      ],
      () => byReason(seats.figures.refused),
    ),
    counterOf(['streams_ended_total', 'Streams that this process ended, by the reason'], () =>
      byReason({ ...open.ended, slow: slow() }),
    ),
    counterOf(['stream_events_total', 'Events sent by tier'], () => byTier('told')),
    counterOf(['stream_resets_total', 'Times that a reader had to ask for everything again'], () =>
      byTier('resets'),
    ),
    gauge(
      ['stream_kept_events', 'Events kept for readers of the realtime tier who come back'],
      () => hub.figures.ring.events,
    ),
    gauge(['stream_kept_bytes', 'Memory that they take, estimated'], () => hub.figures.ring.bytes),
  ]
}
