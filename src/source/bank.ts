import type { BankDay, BankRate, Span } from '~/domain/source/day.ts'
import type { Publishing, Reach, SourceProvider } from '~/domain/source/source.ts'
import { type Days, daysIn } from './page/date.ts'
import { bankDays } from './page/days.ts'

/** Request to a bank: a page of its own, never another host's. */
export type BankRequest = {
  readonly url: string
  /** The form that is sent by POST; a GET if it is absent. */
  readonly form?: string
  /** Requested format. A web page instead is refused, unless one is requested. */
  readonly format: 'json' | 'html' | 'csv' | 'spreadsheet'
  /** Encoding of the text; UTF-8 if absent, and then invalid bytes are errors. */
  readonly charset?: 'iso-8859-1' | 'windows-1252'
  readonly headers?: Readonly<Record<string, string>>
}

export type BankAnswer = {
  readonly request: BankRequest
  readonly bytes: Uint8Array
  /** The bytes as text; empty for a spreadsheet. */
  readonly text: string
}

/**
 * Description of one bank: its requests, the reading of its responses, and its rates.
 *
 * Pure: the clock and the network belong to the caller.
 */
export type Bank = Publishing & {
  /** The bank's provider in the catalogue; its rates carry the id. */
  readonly provider: SourceProvider
  readonly currency: string
  /** The page that documents the format, or shows it. */
  readonly source: string
  /** The bank's terms for the use of its rates, if any. */
  readonly terms: string
  /** The header that carries the caller's key, for a bank that gives out keys; and where. */
  readonly key?: { readonly header: string; readonly page: string }
  /**
   * Span of one request: only the newest rates, all that the bank ever published, or that many
   * days. A bank whose request names one day is requested on its days of publication alone.
   */
  readonly reach: Reach
  /** The pages that cover a span, in their order; requested one after another. */
  requests(span: Span): readonly BankRequest[]
  /**
   * Requests that follow a response, such as a form whose token the response holds; empty if the
   * response is one to be read. Cookies are sent back by themselves.
   */
  next?(answer: BankAnswer, span: Span): readonly BankRequest[]
  /**
   * The days in a response, in any order; a day may be spread over several responses. Empty for a
   * day without rates. Days before the span are left out unread, later ones are not.
   *
   * Throws a FeedError `malformed` that says what was expected and what came instead, in our own
   * words: the caller adds the length and the beginning of the response.
   */
  read(answer: BankAnswer, span: Span): readonly BankDay[]
}

/** A bank whose responses are rows, each with a day, and a currency's rate. */
type Description<Row> = Omit<Bank, 'requests' | 'next' | 'read'> & {
  requests(days: Days): readonly BankRequest[]
  next?(answer: BankAnswer, days: Days): readonly BankRequest[]
  /** The rows of a response, in any order; none for a day without rates. */
  rows(answer: BankAnswer): readonly Row[]
  /** The date or the date-time of a row on the bank's clocks. */
  when(row: Row, answer: BankAnswer): string
  /** The rate of a row; null for a currency or a row that is of no use here. */
  rate(row: Row, answer: BankAnswer): BankRate | null
}

export function bankOf<Row>(description: Description<Row>): Bank {
  const { requests, next, rows, when, rate, ...bank } = description
  const { timeZone } = bank
  return {
    ...bank,
    requests: (span) => requests(daysIn(span, timeZone)),
    ...(next && { next: (answer, span) => next(answer, daysIn(span, timeZone)) }),
    read: (answer, span) =>
      bankDays(rows(answer), {
        ...{ timeZone, span },
        when: (row) => when(row, answer),
        rate: (row) => rate(row, answer),
      }),
  }
}
