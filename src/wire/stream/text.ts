import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import { type EventId, eventIdText } from '~/domain/live/event-id.ts'
import { offerId } from '~/domain/offer/id.ts'
import type { EvaluatedQuote } from '~/service/rates.ts'
import type {
  CorridorChange,
  Hello,
  Reset,
  StreamEvent,
  StreamTexts,
} from '~/service/stream/event.ts'
import { presentNote, staleNote } from '~/wire/note.ts'
import { presentFreshness, presentMid } from '~/wire/present.ts'
import { presentProviderRate } from '~/wire/rates.ts'
import type { StreamBodies } from './events.ts'

/** An event as a string; without an id it leaves the reader's last one unchanged. */
function eventText(name: string, body: object, id?: EventId): string {
  const idLine = id ? `id: ${eventIdText(id)}\n` : ''
  return `${idLine}event: ${name}\ndata: ${JSON.stringify(body)}\n\n`
}

/** Writes the events of a stream for a service whose paths are below `basePath`. */
export const streamTexts = (basePath: string): StreamTexts => ({
  event: ({ id, freshness, change }) =>
    eventText(change.kind, bodyOf(change, freshness, basePath), id),
  hello: (hello) => eventText('hello', presentHello(hello), hello.isReset ? undefined : hello.id),
  reset: (reset) => eventText('reset', presentReset(reset, basePath), reset.id),
  slow: () => eventText('slow', SLOW),
  beat: (id) => `: ${eventIdText(id)}\nid: ${eventIdText(id)}\n\n`,
})

export const endedText = (body: StreamBodies['ended']): string => eventText('ended', body)

const SLOW: StreamBodies['slow'] = {
  error:
    'events came faster than they were read; connect again with the last id as Last-Event-ID, ' +
    'read faster or ask for fewer corridors',
  code: 'too_slow',
}

function bodyOf(change: StreamEvent['change'], freshness: Freshness, basePath: string) {
  if (change.kind !== 'catalogue')
    return {
      corridor: corridorKey(change.corridor),
      ...membersOf(change),
      ...presentFreshness(freshness),
    }
  const { currencies, providers } = change
  const ask = [`${basePath}/currencies`, `${basePath}/providers`]
  return { currencies, providers, ask, ...presentFreshness(freshness) }
}

function membersOf(change: CorridorChange) {
  switch (change.kind) {
    case 'quote':
      return presentProviderRate(change.quote)
    case 'gone':
      return { provider_id: change.quote.providerId, offer_id: offerId(change.quote) }
    case 'best': {
      const { best, bestCurrent } = change
      const shown = (one: EvaluatedQuote | null) => one && presentProviderRate(one)
      const note = best && staleNote(best.ranked)
      return { best: shown(best), best_current: shown(bestCurrent), ...presentNote(note) }
    }
    case 'mid':
      return presentMid(change.mid)
  }
}

const presentHello = ({ isResumed, isReset: _, ...hello }: Hello): StreamBodies['hello'] => ({
  ...presentPlace(hello),
  resumed: isResumed,
  ...presentFreshness(hello.freshness),
})

const presentReset = (reset: Reset, basePath: string): StreamBodies['reset'] => ({
  ...presentPlace(reset),
  reason: reset.reason,
  ask: reset.corridors?.map((one) => ratesPath(one, basePath)) ?? [`${basePath}/corridors`],
  ...presentFreshness(reset.freshness),
})

const presentPlace = ({ id, freshness, corridors }: Omit<Reset, 'reason'>) => ({
  tier: freshness.tier,
  position: id.position,
  corridors: corridors?.map(corridorKey) ?? ['*'],
})

const ratesPath = ({ from, to }: Corridor, basePath: string): string =>
  `${basePath}/rates?from=${from}&to=${to}`
