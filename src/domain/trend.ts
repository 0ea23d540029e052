import type { Corridor } from './corridor.ts'

/** Whole UTC days of which the last one ends with the window. */
export type TrendWindow = {
  readonly fromMs: number
  readonly beforeMs: number
  readonly days: number
}

/** The best executable rate of one corridor on one day of a window. */
export type BestOfDay = Corridor & {
  /** Counted from 0, the oldest day. */
  readonly day: number
  readonly best: number
}

/** What a US dollar was last worth in a currency at the end of one day of a window. */
export type WorthOfDay = {
  readonly currency: string
  readonly day: number
  readonly perUsd: number
}
