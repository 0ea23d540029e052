import type { Offer } from './offer/terms.ts'
import type { Evidence } from './price/evidence.ts'
import type { RateType } from './provider.ts'

/** A value that holds from `atMs` on; at equal times the one with the greater `id` is later. */
export type Dated = { readonly id: number; readonly atMs: number }

/** One provider's price in one corridor, from `atMs` (its `effective_from`) on. */
export type Quote = Dated & {
  readonly providerId: string
  readonly from: string
  readonly to: string
  /** Units of `to` per unit of `from`. */
  readonly rate: number
  /** The fee, in `feeCurrency`. */
  readonly fee: number | null
  readonly feeCurrency: string | null
  readonly rateType: RateType
  readonly evidence: Evidence
  /** The offer; null if the price states none. */
  readonly offer: Offer | null
  /** Notes of its recorder; absent if there were none. */
  readonly notes?: string
}

export type StoredQuote = Quote & { readonly recordedMs: number }

export type RecordedQuote = StoredQuote & {
  /** The recording route; null if unknown. */
  readonly recordedVia: string | null
  /** Identifies its recorder, for operators; null if unknown. */
  readonly recorderId: number | null
  /** The time and the reason of its withdrawal; absent if it was not withdrawn. */
  readonly withdrawn?: { readonly atMs: number; readonly reason: string }
}

/** Sorts newest first; between equal times the one recorded last comes first. */
export const newestFirst = (a: Dated, b: Dated): number => b.atMs - a.atMs || b.id - a.id
