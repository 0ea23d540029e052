import { type Attempts, NO_ATTEMPTS } from '~/domain/feed/attempts.ts'
import type { Validators } from '~/domain/feed/feed.ts'
import type { Publishing, QuoteSource } from './source.ts'

/** What is known about one bank over all runs, as plain JSON. */
export type SourceRecord = Attempts &
  Publishing & {
    readonly id: string
    readonly providerId: string
    /** When it was asked for the first time. */
    readonly begunMs: number | null
    /** How often it failed without a success in between. */
    readonly failures: number
    /** The newest day of which a rate is recorded; null before the first. */
    readonly newestMs: number | null
    /** Days before the newest for which the bank had no page; absent in records of old versions. */
    readonly gaps?: readonly string[] | undefined
    /** How many currencies it stated last. */
    readonly currencies: number
    /** What was not believed of its last answer, each a sentence that follows the bank's name. */
    readonly refused: readonly string[]
    readonly validators: Validators | null
  }

/** What is known of a bank before it is asked for the first time. */
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
