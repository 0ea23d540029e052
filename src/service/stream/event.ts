import type { Corridor } from '~/domain/corridor.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { EventId } from '~/domain/live/event-id.ts'
import type { Mid } from '~/domain/mid.ts'
import type { Quote } from '~/domain/quote.ts'
import type { JudgedQuote } from '~/service/rates.ts'

/** What is new in one corridor. */
export type CorridorChange = { readonly corridor: Corridor } & (
  | { readonly kind: 'quote'; readonly quote: JudgedQuote }
  /** The last price of an offer is not shown any more, and there is no other. */
  | { readonly kind: 'gone'; readonly quote: Quote }
  | {
      readonly kind: 'best'
      /** The best executable price shown; null without one. */
      readonly best: JudgedQuote | null
      /** As `best`, among those that are not stale and whose fee is stated. */
      readonly bestCurrent: JudgedQuote | null
    }
  /** The mid, or null where there is no recent one any more. */
  | { readonly kind: 'mid'; readonly mid: Mid | null }
)

/** That currencies or providers changed, and how many active ones there are. */
type CatalogueChange = {
  readonly kind: 'catalogue'
  readonly currencies: number
  readonly providers: number
}

/** Something that readers are told of. */
export type StreamEvent = {
  readonly id: EventId
  /** The tier it is for, and when it was. */
  readonly freshness: Freshness
  readonly change: CorridorChange | CatalogueChange
}

/** What a stream begins with. */
export type Hello = {
  /** The place from which on everything is told. */
  readonly id: EventId
  readonly freshness: Freshness
  /** Null for every corridor. */
  readonly corridors: readonly Corridor[] | null
  /** Whether it goes on after the id that the reader gave. */
  readonly isResumed: boolean
  /**
   * Whether a reset follows. Who hears only the hello then keeps the id given, and is told again.
   */
  readonly isReset: boolean
}

/**
 * Why a reader has to ask for the prices again.
 *
 * - `unknown_id`: the id is none of ours, or of another database
 * - `too_old`: more has happened since than is kept
 * - `ahead`: nothing of that id has been heard of within some seconds
 * - `gap`: more changed at once than can be told one by one
 */
export const RESET_REASONS = ['unknown_id', 'too_old', 'ahead', 'gap'] as const

export type ResetReason = (typeof RESET_REASONS)[number]

/** That something may have been missed: who asks again now hears of everything after `id`. */
export type Reset = Omit<Hello, 'isResumed' | 'isReset'> & { readonly reason: ResetReason }

/** How everything is written that readers get. */
export type StreamTexts = {
  event(event: StreamEvent): string
  hello(hello: Hello): string
  reset(reset: Reset): string
  /** Says that the reader was too slow. */
  slow(): string
  /** Tells where a reader stands that has nothing to be told. */
  beat(id: EventId): string
}
