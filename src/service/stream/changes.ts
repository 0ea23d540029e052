import type { Corridor } from '~/domain/corridor.ts'
import { isConstant, type Mid } from '~/domain/mid.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { heldKey } from '~/domain/offer/held.ts'
import { bestOf, compareText, STANDING } from '~/domain/rank.ts'
import { vsMidBps } from '~/domain/spread.ts'
import { type CorridorView, EMPTY_VIEW, type RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { isCurrent } from '~/service/convert.ts'
import type { EvaluatedQuote } from '~/service/rates.ts'
import { isSupported } from '~/service/supported.ts'
import type { CorridorChange } from './event.ts'

export type Sight = { readonly before: readonly View[]; readonly after: View }

/** A corridor as `/rates` shows it; without a price if one of its currencies is switched off. */
const corridorIn = (view: View, { from, to }: Corridor): CorridorView =>
  isSupported(view.catalogue, { from, to }, NO_FILTERS) ? view.corridor(from, to) : EMPTY_VIEW

const midIn = (view: View, { from, to }: Corridor): Mid | undefined =>
  isSupported(view.catalogue, { from, to }, NO_FILTERS) ? view.mid(from, to) : undefined

/** All that is new in a corridor: a mid first, then quotes, then a best. */
export const allChanges = (sight: Sight, corridor: Corridor): CorridorChange[] => [
  ...midChanges(sight, corridor),
  ...quoteChanges(sight, corridor),
  ...bestChanges(sight, corridor),
]

/** The quote with its distance to the mid, as `/rates` shows it. */
export const evaluatedOf = (ranked: RankedQuote, mid: Mid | undefined): EvaluatedQuote => ({
  ranked,
  vsMidBps: mid ? vsMidBps(ranked.quote.rate, mid.rate) : null,
})

/** Changes of a pair's mid; nothing if it is the same. */
export function midChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const mid = midIn(after, corridor)
  if (before.every((view) => isSameMid(midIn(view, corridor), mid))) return []
  return [{ corridor, kind: 'mid', mid: mid ?? null }]
}

const isSameMid = (a: Mid | undefined, b: Mid | undefined): boolean =>
  a === b ||
  (a?.rate === b?.rate &&
    a?.source === b?.source &&
    a?.basis === b?.basis &&
    a?.dispersionBps === b?.dispersionBps &&
    (a?.atMs === b?.atMs || (a !== undefined && isConstant(a))))

/** Changes of the best or the best current price of a corridor, which may also be stale by now. */
export function bestChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const seen = corridorIn(after, corridor)
  const [best, current] = [seen.best, bestCurrentOf(seen)]
  const isKnown = (old: CorridorView) =>
    old === seen || (isSamePrice(old.best, best) && isSamePrice(bestCurrentOf(old), current))
  if (before.every((view) => isKnown(corridorIn(view, corridor)))) return []
  const mid = midIn(after, corridor)
  const shown = (one: RankedQuote | null) => one && evaluatedOf(one, mid)
  return [{ corridor, kind: 'best', best: shown(best), bestCurrent: shown(current) }]
}

const isSamePrice = (a: RankedQuote | null, b: RankedQuote | null): boolean =>
  a?.quote.id === b?.quote.id &&
  a?.isStale === b?.isStale &&
  a?.suspect?.offPct === b?.suspect?.offPct

/** The best price shown that is not stale and whose fee is stated; null without one. */
function bestCurrentOf({ best, quotes }: CorridorView): RankedQuote | null {
  if (best === null || isCurrent(best)) return best
  const current = quotes.filter(isCurrent).map((ranked) => ({
    ranked,
    ...{ quote: ranked.quote, unspecified: ranked.unspecified },
    ...{ standing: STANDING.usual, value: ranked.quote.rate, second: null },
  }))
  return bestOf(current)?.ranked ?? null
}

/**
 * The offers of a corridor whose price is another one, is stale by now, is held against another mid
 * of its day, has a provider of another name, or is not shown any more; by provider, then offer.
 */
export function quoteChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const old = before.map((view) => corridorIn(view, corridor))
  const seen = corridorIn(after, corridor)
  if (old.every((view) => view === seen)) return []
  const mid = midIn(after, corridor)
  const held = old.map(({ offers }) => byOffer(offers))
  const left = byOffer(old.flatMap(({ offers }) => offers))
  const changes: [string, CorridorChange][] = []
  for (const [key, ranked] of byOffer(seen.offers)) {
    left.delete(key)
    if (held.every((known) => isSameShown(known.get(key), ranked))) continue
    changes.push([key, { corridor, kind: 'quote', quote: evaluatedOf(ranked, mid) }])
  }
  for (const [key, { quote }] of left) changes.push([key, { corridor, kind: 'gone', quote }])
  return changes.sort(([a], [b]) => compareText(a, b)).map(([, change]) => change)
}

/** Reports whether a quote shows what it did, apart from other quotes and the mid. */
const isSameShown = (old: RankedQuote | undefined, ranked: RankedQuote): boolean =>
  old === ranked ||
  (old !== undefined &&
    isSamePrice(old, ranked) &&
    old.midAtQuote?.rate === ranked.midAtQuote?.rate &&
    old.midAtQuote?.atMs === ranked.midAtQuote?.atMs &&
    old.midAtQuote?.basis === ranked.midAtQuote?.basis &&
    old.provider.name === ranked.provider.name &&
    old.provider.providerType === ranked.provider.providerType &&
    old.provider.transferTime === ranked.provider.transferTime)

const byOffer = (offers: readonly RankedQuote[]): Map<string, RankedQuote> =>
  new Map(offers.map((ranked) => [heldKey(ranked.quote), ranked]))
