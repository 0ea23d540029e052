import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { ServiceError } from '~/domain/errors.ts'
import { askedOf, type FilterName } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED, upToAge } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'

/** Why a list is empty. */
export type Emptiness = {
  /** The time of the newest price, where there are some that were not asked for; else null. */
  readonly newestMs: number | null
  /** Filters that no price fits although some are young enough; empty if all are too old. */
  readonly unfit: readonly FilterName[]
}

/** Why the list of a corridor is empty. */
export type Absence = Emptiness & {
  readonly corridor: Corridor
  /** Says whether the other way round is quoted, by prices as young as was requested. */
  readonly isReverseQuoted: boolean
}

/** Why nothing was selected, where `newestMsOf` is the time of the newest price of a selection. */
export function emptinessOf(
  { filters, maxAgeMs }: Selection,
  newestMsOf: (selection: Selection) => number | null,
): Emptiness {
  const newestMs = newestMsOf(upToAge(maxAgeMs))
  return newestMs === null
    ? { newestMs: newestMsOf(UNSELECTED), unfit: [] }
    : { newestMs, unfit: askedOf(filters) }
}

/**
 * Reports that no price fits what was asked of offers, although money can be sent in the corridor:
 * none is left, or those alone at which no money can be sent and which are silent about it.
 */
export function isUnfit(
  offers: readonly Pick<RankedQuote, 'quote' | 'unspecified'>[],
  all: () => readonly { readonly quote: Quote }[],
): boolean {
  const isSilent = offers.every(
    ({ quote, unspecified }) => !isExecutable(quote.rateType) && unspecified.length > 0,
  )
  if (offers.length === 0 || !isSilent) return offers.length === 0
  return all().some(({ quote }) => isExecutable(quote.rateType))
}

/** Throws `database_unavailable` while the prices of a corridor are unknown. */
export function requireLoaded(view: View, corridor: Corridor): void {
  if (!view.lacks(corridor)) return
  throw new ServiceError(
    'database_unavailable',
    `the prices of ${corridorKey(corridor)} could not be loaded yet: the database server that ` +
      'keeps them does not answer; try again shortly',
  )
}

/**
 * Why a corridor has no price among those selected. Throws `database_unavailable` where its prices
 * could not be loaded.
 */
export function absenceOf(view: View, corridor: Corridor, selection: Selection): Absence {
  requireLoaded(view, corridor)
  const { from, to } = corridor
  const young = upToAge(selection.maxAgeMs)
  return {
    corridor,
    ...emptinessOf(selection, (other) => view.corridor(from, to, other).lastUpdatedMs),
    isReverseQuoted: view.corridor(to, from, young).quotes.length > 0,
  }
}
