import type { Corridor } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { EventId } from '~/domain/live/event-id.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import type { EvaluatedQuote } from '~/service/rates.ts'

export type CorridorChange = { readonly corridor: Corridor } & (
  | { readonly kind: 'quote'; readonly quote: EvaluatedQuote }
  /** The last price of an offer is not shown any more, and there is no other. */
  | { readonly kind: 'gone'; readonly quote: Quote }
  | {
      readonly kind: 'best'
      /** The best executable price shown; null without one. */
      readonly best: EvaluatedQuote | null
      /** As `best`, among those that are not stale and whose fee is stated. */
      readonly bestCurrent: EvaluatedQuote | null
    }
  /** The mid, or null if there is no recent one any more. */
  | { readonly kind: 'mid'; readonly mid: Mid | null }
)

/** Change of currencies or providers, with the number of active ones. */
type CatalogueChange = {
  readonly kind: 'catalogue'
  readonly currencies: number
  readonly providers: number
}

export type StreamEvent = {
  readonly id: EventId
  /** The tier it is for, and when it was. */
  readonly freshness: Freshness
  readonly change: CorridorChange | CatalogueChange
}

export type Hello = {
  /** The place from which on everything is sent. */
  readonly id: EventId
  readonly freshness: Freshness
  /** Null for every corridor. */
  readonly corridors: readonly Corridor[] | null
  /** Says whether it goes on after the id that the reader gave. */
  readonly isResumed: boolean
  /** Says whether a reset follows; a reader of the hello alone then keeps the id given. */
  readonly isReset: boolean
}

/**
 * Reason for a reader to reload the prices.
 *
 * - `unknown_id`: the id is not ours, or of another database
 * - `too_old`: more has happened since than is retained
 * - `ahead`: nothing of that id has been received within some seconds
 * - `gap`: more changed at once than can be sent one by one
 */
export const RESET_REASONS = ['unknown_id', 'too_old', 'ahead', 'gap'] as const

export type ResetReason = (typeof RESET_REASONS)[number]

/** Signals that something may be missed: requesting everything again gets all after `id`. */
export type Reset = Omit<Hello, 'isResumed' | 'isReset'> & { readonly reason: ResetReason }

/** Writes the strings that readers get. */
export type StreamTexts = {
  event(event: StreamEvent): string
  hello(hello: Hello): string
  reset(reset: Reset): string
  /** Says that the reader was too slow. */
  slow(): string
  /** The position of a reader without new events. */
  beat(id: EventId): string
}
