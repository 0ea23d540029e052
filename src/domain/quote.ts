import type { RateType } from './provider.ts'

/** Something that held from one moment on; of two at the same moment the greater `id` is later. */
export type Dated = { readonly id: number; readonly atMs: number }

/** One provider's price in one corridor, from `atMs` (its `effective_from`) on. */
export type Quote = Dated & {
  readonly providerId: string
  readonly from: string
  readonly to: string
  /** Units of `to` per unit of `from`. */
  readonly rate: number
  /** In `feeCurrency`. */
  readonly fee: number | null
  readonly feeCurrency: string | null
  readonly rateType: RateType
}

/** Sorts newest first; between equal times the one recorded last comes first. */
export const newestFirst = (a: Dated, b: Dated): number => b.atMs - a.atMs || b.id - a.id
