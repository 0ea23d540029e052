import { type Change, changeOf } from '~/domain/change.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import { choiceOf } from '~/domain/offer/choice.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { heldAt } from '~/domain/offer/held.ts'
import { PERIOD_MS, type Period } from '~/domain/period.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestExecutable } from '~/domain/rank.ts'
import type { View } from '~/memory/view.ts'
import { requireLoaded } from './absence.ts'
import { midBefore, quotesBefore, type SnapshotDeps } from './snapshot.ts'
import { supportedCorridor } from './supported.ts'

/** A corridor at one moment; null where it had no recent mid, or nothing executable was live. */
export type PricesAt = {
  readonly atMs: number
  readonly mid: Mid | null
  readonly best: number | null
}

export type CorridorChange = {
  readonly corridor: Corridor
  readonly period: Period
  readonly start: PricesAt
  readonly end: PricesAt
  /** Null where the start or the end has no value. */
  readonly mid: Change | null
  readonly best: Change | null
}

/**
 * How mid and best executable rate moved over a period that ends now, or at the tier's cutoff.
 *
 * Both ends follow the same rules: the latest quotes up to and including that moment, from
 * providers active then, and no older at that moment than a live quote may be. Throws
 * `unsupported_currency`, `same_currency`, and `database_unavailable` while its prices could not be
 * loaded.
 */
export async function corridorChange(
  deps: SnapshotDeps,
  view: View,
  asked: Corridor & { readonly period: Period },
): Promise<CorridorChange> {
  const { period } = asked
  const corridor = supportedCorridor(view.catalogue, asked)
  requireLoaded(view, corridor)
  const end = pricesNow(view, corridor)
  const atMs = end.atMs - PERIOD_MS[period]
  const isLasting = view.freshness.tier === 'hourly'
  const then = { sinceMs: atMs, beforeMs: atMs + 1, thenMs: atMs, isLasting }
  const [quotes, mid] = await Promise.all([
    quotesBefore(deps, corridor, then),
    midBefore(deps, view, { ...then, corridor }),
  ])
  const start: PricesAt = { atMs, mid, best: bestAt(view, heldAt(quotes, atMs), atMs) }
  return {
    corridor,
    period,
    start,
    end,
    mid: changeOf({ start: start.mid?.rate ?? null, end: end.mid?.rate ?? null }),
    best: changeOf({ start: start.best, end: end.best }),
  }
}

function pricesNow(view: View, { from, to }: Corridor): PricesAt {
  const { nowMs, cutoffMs } = view.freshness
  const atMs = Math.min(nowMs, cutoffMs)
  return {
    atMs,
    mid: view.mid(from, to, atMs) ?? null,
    best: bestAt(view, view.allQuotes(from, to), atMs),
  }
}

/** The best executable rate among the offers that are chosen at a moment, as live ones are. */
function bestAt(view: View, quotes: readonly Quote[], atMs: number): number | null {
  const staleBeforeMs = view.staleBeforeMs(atMs)
  const candidates = quotes
    .filter((quote) => view.wasLive(quote, atMs))
    .map((quote) => ({ quote, isStale: quote.atMs < staleBeforeMs }))
  const chosen = choiceOf(candidates, { filters: NO_FILTERS, goal: null, feeMidOf: () => null })
  return bestExecutable(chosen)?.value ?? null
}
