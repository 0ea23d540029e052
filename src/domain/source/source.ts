import type { Validators } from '~/domain/feed/feed.ts'
import type { BankDay, Span } from './day.ts'

/** When a bank publishes, on its own clocks. */
export type Publishing = {
  readonly timeZone: string
  readonly publishes: {
    /** When the rates of a day are there as a rule, `HH:MM`. */
    readonly at: string
    /** The days of the week on which it publishes: 1 is Monday, 7 is Sunday. */
    readonly weekdays: readonly number[]
  }
}

/** How far one question to a bank reaches: its newest rates, all there are, or that many days. */
export type Reach = 'newest' | 'all' | number

/** The bank's entry in the catalogue, as far as the bank decides it. */
export type SourceProvider = {
  readonly id: string
  readonly name: string
  readonly region: string
  readonly websiteUrl: string
}

/** What is stated by a bank about a span of time, before anything of it has been judged. */
export type SourceAnswer = {
  readonly days: readonly BankDay[]
  /** Whether the bank says that its page is the one of `validators`. */
  readonly isUnchanged: boolean
  /** What to send next time, so that an unchanged page is not sent; null where there is none. */
  readonly validators: Validators | null
}

/** One bank that can be asked. */
export type QuoteSource = Publishing & {
  /** The name under which it is configured. */
  readonly id: string
  readonly provider: SourceProvider
  /** The currency that its prices are in. */
  readonly currency: string
  readonly reach: Reach
  /** Asks the bank. Rejects with a FeedError; anything else is a bug. */
  ask(question: Question): Promise<SourceAnswer>
}

export type Question = {
  /** What is asked about; no more than one question can cover. */
  readonly span: Span
  /** Since when days are read that the bank answers unasked. */
  readonly readSinceMs: number
  /** What the bank said last, so that it need not say it again; null to have it said. */
  readonly validators: Validators | null
}
