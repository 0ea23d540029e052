import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { ServiceError } from '~/domain/errors.ts'
import { askedOf, type FilterName } from '~/domain/offer/filter.ts'
import { type Selection, UNSELECTED, upToAge } from '~/domain/offer/selection.ts'
import { isExecutable } from '~/domain/provider.ts'
import type { Quote } from '~/domain/quote.ts'
import type { RankedQuote } from '~/memory/corridor-view.ts'
import type { View } from '~/memory/view.ts'

/** Reason for an empty list. */
export type Emptiness = {
  /** The time of the newest price if there are some, though none that was requested; else null. */
  readonly newestMs: number | null
  /** Filters that no price fits although some are young enough; empty if all are too old. */
  readonly unfit: readonly FilterName[]
}

/** Reason for an empty list of a corridor. */
export type Absence = Emptiness & {
  readonly corridor: Corridor
  /** Says whether the reverse corridor is quoted, by prices as young as was requested. */
  readonly isReverseQuoted: boolean
}

/** Explains an empty selection; `newestMsOf` returns the time of a selection's newest price. */
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
 * Reports that no price matches the requested conditions: none remains, or all that remain are
 * silent about the conditions and not executable although money can be sent in the corridor.
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
      'stores them does not respond; try again shortly',
  )
}

/** The reason why a corridor has no price. Throws `database_unavailable` if not loaded. */
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
