import { type Change, changeOf } from '~/domain/change.ts'
import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import { type Candidate, choiceOf } from '~/domain/offer/choice.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { heldAt } from '~/domain/offer/held.ts'
import { type Period, periodStartMs } from '~/domain/period.ts'
import type { Quote } from '~/domain/quote.ts'
import { bestOf } from '~/domain/rank.ts'
import type { View } from '~/memory/view.ts'
import { requireLoaded } from './absence.ts'
import { midBefore, quotesBefore, type SnapshotDeps, withDayMids } from './snapshot.ts'
import { supportedCorridor } from './supported.ts'

/** A corridor at one time; null if it had no recent mid, or nothing executable was live. */
export type PricesAt = {
  readonly atMs: number
  readonly mid: Mid | null
  readonly best: number | null
  /** The quote behind the best if it was stale then; else null. */
  readonly stale: Quote | null
}

export type CorridorChange = {
  readonly corridor: Corridor
  readonly period: Period
  readonly start: PricesAt
  readonly end: PricesAt
  /** Null if the start or the end has no value. */
  readonly mid: Change | null
  readonly best: Change | null
}

/**
 * Move of mid and best executable rate over a period that ends now, or at the tier's cutoff.
 *
 * Both ends follow the same rules: the latest quotes up to and including that time, from providers
 * active then, and no older then than a live quote may be. Throws `unsupported_currency`,
 * `same_currency`, and `database_unavailable` while its prices could not be loaded.
 */
export async function corridorChange(
  deps: SnapshotDeps,
  view: View,
  asked: Corridor & { readonly period: Period },
): Promise<CorridorChange> {
  const { period } = asked
  const corridor = supportedCorridor(view.catalogue, asked)
  requireLoaded(view, corridor)
  const endMs = Math.min(view.freshness.nowMs, view.freshness.cutoffMs)
  const atMs = periodStartMs(period, endMs)
  const isLasting = view.freshness.tier === 'hourly'
  const then = { sinceMs: atMs, beforeMs: atMs + 1, thenMs: atMs, isLasting }
  const end = pricesAt(view, { atMs: endMs, ...present(view, corridor, endMs) })
  const [quotes, startMid] = await Promise.all([
    quotesBefore(deps, corridor, then),
    midBefore(deps, view, { ...then, corridor }),
  ])
  const past = await withDayMids(deps, view, { quotes: heldAt(quotes, atMs), mid: startMid })
  const start = pricesAt(view, { atMs, mid: startMid, evaluated: past })
  return {
    corridor,
    period,
    start,
    end,
    mid: changeOf({ start: start.mid?.rate ?? null, end: end.mid?.rate ?? null }),
    best: changeOf({ start: start.best, end: end.best }),
  }
}

/** The latest quotes of every offer and the mid at a time, from memory. */
function present(view: View, { from, to }: Corridor, atMs: number) {
  const mid = view.mid(from, to, atMs) ?? null
  const evaluated = view.allQuotes(from, to).map((quote) => {
    const { midAtQuote } = view.dayMidsOf(quote)
    return { quote, suspect: view.suspicionOf(quote, { midAtQuote, mid }) }
  })
  return { mid, evaluated }
}

type Then = {
  readonly atMs: number
  readonly mid: Mid | null
  /** The latest quote of every offer, be its provider active or not. */
  readonly evaluated: readonly Omit<Candidate, 'isStale'>[]
}

/** The mid and the best executable rate among the offers chosen then, as live ones are. */
function pricesAt(view: View, { atMs, mid, evaluated }: Then): PricesAt {
  const staleBeforeMs = view.staleBeforeMs(atMs)
  const candidates = evaluated
    .filter(({ quote }) => view.wasLive(quote, atMs))
    .map(({ quote, suspect }) => ({ quote, suspect, isStale: quote.atMs < staleBeforeMs }))
  const chosen = choiceOf(candidates, { filters: NO_FILTERS, goal: null, feeMidOf: () => null })
  const best = bestOf(chosen)
  const stale = best?.candidate.isStale ? best.candidate.quote : null
  return { atMs, mid, best: best?.value ?? null, stale }
}
