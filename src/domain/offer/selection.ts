import { isUnfiltered, NO_FILTERS, type OfferFilters } from './filter.ts'

/** Which of the live offers a question is about. */
export type Selection = {
  readonly filters: OfferFilters
  /** Every fitting offer in place of one per provider. */
  readonly isEvery: boolean
  /** How old a price may be; null for any age. */
  readonly maxAgeMs: number | null
}

/** Whether a selection leaves out no offer for what it says, and shows one of each provider. */
export const isPlainSelection = ({ filters, isEvery }: Selection): boolean =>
  !isEvery && isUnfiltered(filters)

/** What a question is about that asks nothing of offers: one of each provider, of any age. */
export const UNSELECTED: Selection = { filters: NO_FILTERS, isEvery: false, maxAgeMs: null }

/** One offer of each provider, up to this age; null for any age. */
export const upToAge = (maxAgeMs: number | null): Selection =>
  maxAgeMs === null ? UNSELECTED : { ...UNSELECTED, maxAgeMs }
