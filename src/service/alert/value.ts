import type { Watched } from '~/domain/alert/alert.ts'
import { type AlertField, type AlertUnit, fieldOf } from '~/domain/alert/field.ts'
import type { Value } from '~/domain/alert/rule.ts'
import type { Mid } from '~/domain/mid.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import type { View } from '~/memory/view.ts'
import { type Conversion, convert, isCurrent } from '~/service/convert.ts'
import { isSupported } from '~/service/supported.ts'

const VALUES: Readonly<Record<AlertField, (view: View, watched: Watched) => Value>> = {
  best: (view, watched) => corridorOf(view, watched).best?.quote.rate ?? null,
  best_current_net: (view, watched) => conversions(view, watched).bestCurrent?.net ?? null,
  mid: (view, { corridor: { from, to } }) => undisputedRate(view.mid(from, to)),
  total_pct: leastCost,
  stale: isStale,
  monthly: () => null,
}

const ROUNDED: Readonly<Record<AlertUnit, (value: number) => number>> = {
  rate: roundAmount,
  money: roundAmount,
  percent: roundPercent,
}

/** The rate of a mid; null without one, and while feeds dispute it. */
export const undisputedRate = (mid: Mid | null | undefined): number | null =>
  mid && mid.basis !== 'disputed' ? mid.rate : null

/** Returns the watched value in a view, rounded as in responses; null if unknown. */
export function watchedValue(view: View, watched: Watched): Value {
  if (!isSupported(view.catalogue, watched.corridor, NO_FILTERS)) return null
  if (view.lacks(watched.corridor)) return null
  const { field } = watched.when
  const value = VALUES[field](view, watched)
  const { unit } = fieldOf(field)
  return typeof value === 'number' && unit !== null ? ROUNDED[unit](value) : value
}

/** The offers that may be for the countries; all of them if none is named. */
function selectionOf({ sourceCountry, targetCountry }: Watched): Selection {
  if (sourceCountry === null && targetCountry === null) return UNSELECTED
  return { ...UNSELECTED, filters: { ...NO_FILTERS, sourceCountry, targetCountry } }
}

const corridorOf = (view: View, watched: Watched) =>
  view.corridor(watched.corridor.from, watched.corridor.to, selectionOf(watched))

const conversions = (view: View, watched: Watched) =>
  convert(view, {
    ...watched.corridor,
    goal: { amount: watched.amount!, recipientGets: null },
    selection: selectionOf(watched),
  })

/** The least that an entry of `cheapestFirst` costs. */
function leastCost(view: View, watched: Watched): number | null {
  return cheapestFirst(view, watched)[0]?.cost?.totalPct ?? null
}

/**
 * The current executable entries of `/convert` whose cost is known, one for each provider. Offers
 * that do not say for which countries they are count only if no other does.
 */
export function cheapestFirst(view: View, watched: Watched): readonly Conversion[] {
  const paying = conversions(view, watched).entries.filter(
    ({ ranked, cost }) => cost && isCurrent(ranked) && isExecutable(ranked.quote.rateType),
  )
  const said = paying.filter(({ ranked }) => ranked.unspecified.length === 0)
  return (said.length > 0 ? said : paying).toSorted((a, b) => a.cost!.totalPct - b.cost!.totalPct)
}

function isStale(view: View, watched: Watched): boolean | null {
  const fromMs = freshUntilMs(view, watched)
  return fromMs === null ? null : asOfMs(view) > fromMs
}

/**
 * The last time at which the newest executable price is not stale, suspect ones aside; Infinity if
 * prices never become stale, and null if there is none.
 */
function freshUntilMs(view: View, watched: Watched): number | null {
  const { offers } = corridorOf(view, watched)
  const executable = offers.filter(({ quote, suspect }) => isExecutable(quote.rateType) && !suspect)
  if (executable.length === 0) return null
  const newestMs = executable.reduce((ms, { quote }) => Math.max(ms, quote.atMs), 0)
  const atMs = asOfMs(view)
  return newestMs + (watched.when.periodMs ?? atMs - view.staleBeforeMs(atMs))
}

const asOfMs = ({ freshness: { nowMs, cutoffMs } }: View): number => Math.min(nowMs, cutoffMs)
