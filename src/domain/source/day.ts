/**
 * A currency on one day, as a bank states it: units of the bank's own currency for `unit` units of
 * the foreign one.
 *
 * The prices are exact decimals in plain notation, as written; null for one that the bank does not
 * state. At least one of the three is stated: `central`, or else both sides.
 */
export type BankRate = {
  /** The foreign currency's code. */
  readonly currency: string
  /** The number of units of the foreign currency that the prices are for: 1, 100 or 1,000. */
  readonly unit: number
  readonly buying: string | null
  readonly central: string | null
  readonly selling: string | null
  /** The rate as written, if the file inverts it: `0.0748 USD for 1 BWP`; absent if it does not. */
  readonly stated?: string
}

/** A bank's rates of one time. */
export type BankDay = {
  /** The bank's own time; for a date alone, the midnight that starts it at the bank. */
  readonly atMs: number
  readonly rates: readonly BankRate[]
}

/** The span of time of a query to a bank; both ends are included. */
export type Span = { readonly sinceMs: number; readonly untilMs: number }
