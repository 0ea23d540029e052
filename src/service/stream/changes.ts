import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import { offerKey, PLAIN } from '~/domain/offer/terms.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestOf, compareText, STANDING } from '~/domain/rank.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { CorridorView, RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { isCurrent } from '~/service/convert.ts'
import type { JudgedQuote } from '~/service/rates.ts'
import type { CorridorChange } from './event.ts'

/** What readers may have seen before something happened, one or the other, and what after it. */
export type Sight = { readonly before: readonly View[]; readonly after: View }

/** The quote with its distance to the mid, as `/rates` shows it. */
export const judgedOf = (ranked: RankedQuote, mid: Mid | undefined): JudgedQuote => ({
  ranked,
  vsMidBps: mid ? vsMidBps(ranked.quote.rate, mid.rate) : null,
})

/** That the mid of a pair is another one; nothing where it is not. */
export function midChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const { from, to } = corridor
  const mid = after.mid(from, to)
  if (before.every((view) => isSameMid(view.mid(from, to), mid))) return []
  return [{ corridor, kind: 'mid', mid: mid ?? null }]
}

const isSameMid = (a: Mid | undefined, b: Mid | undefined): boolean =>
  a === b || (a?.rate === b?.rate && a?.atMs === b?.atMs && a?.source === b?.source)

/** That the best or the best current price of a corridor is another one, or stale by now. */
export function bestChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const { from, to } = corridor
  const seen = after.corridor(from, to)
  const [best, current] = [seen.best, bestCurrentOf(seen)]
  const isKnown = (old: CorridorView) =>
    old === seen || (isSamePrice(old.best, best) && isSamePrice(bestCurrentOf(old), current))
  if (before.every((view) => isKnown(view.corridor(from, to)))) return []
  const mid = after.mid(from, to)
  const shown = (one: RankedQuote | null) => one && judgedOf(one, mid)
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
 * The offers of a corridor whose price is another one, is stale by now, or is not shown any more;
 * by provider, then offer.
 */
export function quoteChanges({ before, after }: Sight, corridor: Corridor): CorridorChange[] {
  const { from, to } = corridor
  const seen = after.corridor(from, to)
  const old = before.map((view) => view.corridor(from, to)).filter((view) => view !== seen)
  if (old.length === 0) return []
  const mid = after.mid(from, to)
  const held = old.map(({ offers }) => byOffer(offers))
  const left = byOffer(old.flatMap(({ offers }) => offers))
  const changes: [string, CorridorChange][] = []
  for (const [key, ranked] of byOffer(seen.offers)) {
    left.delete(key)
    if (held.every((known) => isSamePrice(known.get(key) ?? null, ranked))) continue
    changes.push([key, { corridor, kind: 'quote', quote: judgedOf(ranked, mid) }])
  }
  for (const [key, { quote }] of left) changes.push([key, { corridor, kind: 'gone', quote }])
  return changes.sort(([a], [b]) => compareText(a, b)).map(([, change]) => change)
}

const byOffer = (offers: readonly RankedQuote[]): Map<string, RankedQuote> =>
  new Map(offers.map((ranked) => [ownKey(ranked.quote), ranked]))

const ownKey = ({ providerId, offer }: Quote): string => `${providerId} ${offerKey(offer ?? PLAIN)}`
