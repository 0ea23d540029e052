import type { Corridor } from '~/domain/corridor.ts'
import type { Mid } from '~/domain/mid.ts'
import { type Selection, UNSELECTED } from '~/domain/offer/selection.ts'
import { vsMidBps } from '~/domain/spread.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'
import { type Absence, absenceOf, isUnfit } from './absence.ts'
import { supportedCorridor } from './supported.ts'

export type EvaluatedQuote = {
  readonly ranked: RankedQuote
  /** Distance to the mid; null when there is no recent mid. */
  readonly vsMidBps: number | null
}

export type Rates = {
  readonly corridor: Corridor
  readonly quotes: readonly EvaluatedQuote[]
  readonly mid: Mid | null
  /** Reason why no quote fits; null if one does. */
  readonly absence: Absence | null
}

/**
 * The latest quote of every active provider in a corridor, by kind and best rate first, of those
 * selected.
 *
 * A pair without quotes gives an empty list. Throws `unsupported_currency` and `same_currency`.
 */
export function ratesOf(view: View, pair: Corridor, selection: Selection = UNSELECTED): Rates {
  const corridor = supportedCorridor(view.catalogue, pair, selection.filters)
  const mid = view.mid(corridor.from, corridor.to) ?? null
  const { quotes } = view.corridor(corridor.from, corridor.to, selection)
  return {
    corridor,
    mid,
    absence: isUnfit(quotes, () => view.offers(corridor.from, corridor.to))
      ? absenceOf(view, corridor, selection)
      : null,
    quotes: quotes.map((ranked) => ({
      ranked,
      vsMidBps: mid && vsMidBps(ranked.quote.rate, mid.rate),
    })),
  }
}
