import { type Attempts, NO_ATTEMPTS } from '~/domain/feed/attempts.ts'
import type { Validators } from '~/domain/feed/feed.ts'
import type { Publishing, QuoteSource } from './source.ts'

/** State of one bank over all runs, as plain JSON. */
export type SourceRecord = Attempts &
  Publishing & {
    readonly id: string
    readonly providerId: string
    /** The time when it was requested the first time. */
    readonly begunMs: number | null
    /** Number of failures since the last success. */
    readonly failures: number
    /** The newest day of which a rate is recorded; null before the first. */
    readonly newestMs: number | null
    /** Days before the newest for which the bank had no page; absent in records of old versions. */
    readonly gaps?: readonly string[] | undefined
    readonly currencies: number
    /** Rejected rates of its last response, each a sentence that follows the bank's name. */
    readonly refused: readonly string[]
    readonly validators: Validators | null
  }

/** State of a bank before its first request. */
export const untried = ({ id, provider, timeZone, publishes }: QuoteSource): SourceRecord => ({
  ...NO_ATTEMPTS,
  id,
  providerId: provider.id,
  timeZone,
  publishes,
  begunMs: null,
  failures: 0,
  newestMs: null,
  currencies: 0,
  refused: [],
  validators: null,
})
