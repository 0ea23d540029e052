import { yearsBeforeMs } from './duration.ts'
import type { Offer } from './offer/terms.ts'
import type { Evidence } from './price/evidence.ts'
import type { RateType } from './provider.ts'
import type { UploadNote, UploadSpan } from './upload.ts'

/** A provider's price, ready to be recorded. Rate and fee are exact decimal strings. */
export type Observation = {
  readonly providerId: string
  readonly from: string
  readonly to: string
  readonly rate: string
  readonly fee: string | null
  readonly feeCurrency: string | null
  readonly rateType: RateType
  readonly evidence: Evidence
  /** The offer; null if the price states none. */
  readonly offer: Offer | null
  readonly effectiveMs: number
  readonly notes: string | null
}

/** Identity of a request that is sent again. */
export type Idempotency = {
  readonly accountId: string
  readonly key: string
  /** SHA-256 of the request body, in hex. */
  readonly bodyHash: string
  readonly nowMs: number
}

/** The recorder: an account by one of its keys; null if it needs none. */
export type Recorder = { readonly accountId: string; readonly keyId: string | null }

/** Origin: `via` is `api`, `import`, `upload`, `connector:NAME` or `source:NAME`. */
type Origin = { readonly recorder: Recorder | null; readonly via: string }

/** Observations that are recorded all together or not at all. */
export type Batch = {
  readonly observations: readonly Observation[]
  /** Absent if unknown. */
  readonly origin?: Origin
  readonly idempotency: Idempotency | null
  /** The upload that is noted with the rows, which takes an idempotency key; else not given. */
  readonly upload?: UploadNote
  /** Throws once the sender has received another response; absent if that is impossible. */
  readonly assertAwaited?: () => void
}

/** Observations that are to count nowhere any more. */
export type Withdrawal = {
  readonly ids: readonly number[]
  readonly reason: string
  readonly recorder: Recorder | null
  readonly atMs: number
  /** The upload that they are all of; not given for others. */
  readonly upload?: Pick<UploadNote, 'id'> & Omit<UploadSpan, 'ids'>
}

/** Error of a row of a batch, by its index. */
export type RowFault = {
  readonly index: number
  readonly error: string
  /** Marks an error about a rate that may be recorded all the same. */
  readonly code?: 'implausible_rate'
}

/** Recorded rows: `ids` in the order of the rows, null if an older version recorded them. */
export type Recorded = { readonly inserted: number; readonly ids: readonly number[] | null }

/** The place of a commit in the log of changes; null if it is not logged. */
export type Place = {
  readonly position?: number | null
  /** The position of the commit before; 0 for the first. */
  readonly previous?: number
  /** The time of the commit in the log, by the writer's clock. */
  readonly atMs?: number
}

/** New observations, and the place of their commit. */
export type Logged = { readonly ids: readonly number[] } & Place

/** The outcome of a batch. `ids[i]` belongs to `observations[i]`; they ascend. */
export type Recording =
  | ({ readonly kind: 'recorded' } & Logged)
  | ({ readonly kind: 'replayed' } & Recorded)
  | { readonly kind: 'key_reused' }
  /** There is no room for the offers of some rows. */
  | { readonly kind: 'refused'; readonly faults: readonly RowFault[] }

/** Limits a deletion of a series' observations: the oldest, and at most `rowsMax` at once. */
export type PruneLimit = { readonly beforeMs: number; readonly rowsMax: number }

/** An age limit that was applied: everything that took effect later is still there. */
export type Pruning = {
  readonly actor: string
  readonly beforeMs: number
  readonly observations: number
}

export const RATE_MIN = 1e-12
export const RATE_MAX = 1e12
export const FEE_MAX = 1e15
export const SIGNIFICANT_DIGITS_MAX = 18
export const NOTES_LENGTH_MAX = 500
export const REASON_LENGTH_MAX = 500
export const WITHDRAWN_AT_ONCE_MAX = 100
export const BACKFILL_YEARS_MAX = 5
export const RETENTION_YEARS_MAX = 100

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE][+-]?0*\d{1,3})?$/

/** Reports whether a string is a number that is not far too large or small to use. */
export const isNumeral = (text: string): boolean => DECIMAL.test(text)

/**
 * The number of significant digits that a number has as written, not counting zeros at either end;
 * null if the string is not a number, or is far too large or small to use. `0.00120` has two,
 * `1.2e3` too, `0` none.
 */
export function significantDigits(text: string): number | null {
  const match = DECIMAL.exec(text)
  if (!match) return null
  const digits = `${match[2]}${match[3] ?? ''}`
  return digits.replace(/^0+/, '').replace(/(?<!0)0+$/, '').length
}

/** The earliest `effective_from` that may still be recorded: five calendar years back. */
export function backfillStartMs(nowMs: number): number {
  return yearsBeforeMs(nowMs, BACKFILL_YEARS_MAX)
}
