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
  /** What it says of its offer; null where it says nothing. */
  readonly offer: Offer | null
  /** What its recorder noted; absent where nothing was. */
  readonly notes?: string
}

/** A quote with the time at which it was recorded. */
export type StoredQuote = Quote & { readonly recordedMs: number }

/** A quote with what is known of its recording. */
export type RecordedQuote = StoredQuote & {
  /** By which way it came; null where it is not known. */
  readonly recordedVia: string | null
  /** Names who recorded it, for operators; null where it is not known. */
  readonly recorderId: number | null
  /** When and why it was withdrawn; absent where it was not. */
  readonly withdrawn?: { readonly atMs: number; readonly reason: string }
}

/** Sorts newest first; between equal times the one recorded last comes first. */
export const newestFirst = (a: Dated, b: Dated): number => b.atMs - a.atMs || b.id - a.id
