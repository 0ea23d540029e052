import type { Validators } from '~/domain/feed/feed.ts'
import type { BankDay, Span } from './day.ts'

/** The time when a bank publishes, on its own clocks. */
export type Publishing = {
  readonly timeZone: string
  readonly publishes: {
    /** The time when the rates of a day are there as a rule, `HH:MM`. */
    readonly at: string
    /** The days of the week on which it publishes: 1 is Monday, 7 is Sunday. */
    readonly weekdays: readonly number[]
  }
}

/** Span of one request to a bank: its newest rates, all there are, or that many days. */
export type Reach = 'newest' | 'all' | number

/** The bank's entry in the catalogue, as far as the bank decides it. */
export type SourceProvider = {
  readonly id: string
  readonly name: string
  readonly region: string
  readonly websiteUrl: string
}

/** Rates that a bank published about a span of time, not evaluated yet. */
export type SourceAnswer = {
  readonly days: readonly BankDay[]
  /** Says whether the bank reports its page as the one of `validators`. */
  readonly isUnchanged: boolean
  /** Validators to send next time, so that an unchanged page is not sent; null without any. */
  readonly validators: Validators | null
}

/** One bank that can be queried. */
export type QuoteSource = Publishing & {
  /** The name under which it is configured. */
  readonly id: string
  readonly provider: SourceProvider
  readonly currency: string
  readonly reach: Reach
  /** Asks the bank. Rejects with a FeedError; anything else is a bug. */
  ask(question: Question): Promise<SourceAnswer>
}

export type Question = {
  /** Requested span; no more than one request can cover. */
  readonly span: Span
  /** The time from which unrequested days in a response are read. */
  readonly readSinceMs: number
  /** Validators of the last response, so that it is not repeated; null to have it repeated. */
  readonly validators: Validators | null
}
