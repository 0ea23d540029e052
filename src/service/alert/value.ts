import type { Watched } from '~/domain/alert/alert.ts'
import type { Value } from '~/domain/alert/rule.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import { isExecutable } from '~/domain/provider.ts'
import { roundAmount, roundPercent } from '~/domain/round.ts'
import type { View } from '~/memory/view.ts'
import { convert, isCurrent } from '~/service/convert.ts'
import { isSupported } from '~/service/supported.ts'

/** How what is watched stands in a view, rounded as answers are; null where nobody knows. */
export function watchedValue(view: View, watched: Watched): Value {
  if (!isSupported(view.catalogue, watched.corridor, NO_FILTERS)) return null
  if (view.lacks(watched.corridor)) return null
  const value = figureOf(view, watched)
  if (typeof value !== 'number') return value
  return watched.when.field === 'total_pct' ? roundPercent(value) : roundAmount(value)
}

function figureOf(view: View, watched: Watched): Value {
  const { from, to } = watched.corridor
  switch (watched.when.field) {
    case 'best':
      return view.corridor(from, to).best?.quote.rate ?? null
    case 'mid':
      return view.mid(from, to)?.rate ?? null
    case 'best_current_net':
      return conversions(view, watched).bestCurrent?.net ?? null
    case 'total_pct':
      return leastCost(view, watched)
    case 'stale':
      return isStale(view, watched)
  }
}

const conversions = (view: View, { corridor, amount }: Watched) =>
  convert(view, { ...corridor, goal: { amount: amount!, recipientGets: null } })

/** The least that the current executable entries of `/convert` cost, one for each provider. */
function leastCost(view: View, watched: Watched): number | null {
  const costs = conversions(view, watched).entries.flatMap(({ ranked, cost }) =>
    cost && isCurrent(ranked) && isExecutable(ranked.quote.rateType) ? [cost.totalPct] : [],
  )
  return costs.length === 0 ? null : Math.min(...costs)
}

function isStale(view: View, watched: Watched): boolean | null {
  const fromMs = freshUntilMs(view, watched)
  return fromMs === null ? null : asOfMs(view) > fromMs
}

/**
 * The last moment at which the newest executable price is not stale; Infinity where prices never
 * are, and null where there is none.
 */
function freshUntilMs(view: View, { corridor, when }: Watched): number | null {
  const executable = view
    .offers(corridor.from, corridor.to)
    .filter(({ quote }) => isExecutable(quote.rateType))
  if (executable.length === 0) return null
  const newestMs = executable.reduce((ms, { quote }) => Math.max(ms, quote.atMs), 0)
  const atMs = asOfMs(view)
  return newestMs + (when.periodMs ?? atMs - view.staleBeforeMs(atMs))
}

const asOfMs = ({ freshness: { nowMs, cutoffMs } }: View): number => Math.min(nowMs, cutoffMs)
