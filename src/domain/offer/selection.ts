import { isUnfiltered, NO_FILTERS, type OfferFilters } from './filter.ts'

/** The live offers that a request selects. */
export type Selection = {
  readonly filters: OfferFilters
  /** Every fitting offer instead of one per provider. */
  readonly isEvery: boolean
  /** Maximum age of a price; null for any age. */
  readonly maxAgeMs: number | null
}

/** Reports whether a selection excludes no offer by its terms, and shows one of each provider. */
export const isPlainSelection = ({ filters, isEvery }: Selection): boolean =>
  !isEvery && isUnfiltered(filters)

/** Selection of a request without filters: one of each provider, of any age. */
export const UNSELECTED: Selection = { filters: NO_FILTERS, isEvery: false, maxAgeMs: null }

/** One offer of each provider, up to this age; null for any age. */
export const upToAge = (maxAgeMs: number | null): Selection =>
  maxAgeMs === null ? UNSELECTED : { ...UNSELECTED, maxAgeMs }
