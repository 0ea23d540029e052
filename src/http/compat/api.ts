import type { Currency } from '~/domain/currency.ts'
import type { Quota } from '~/domain/quota.ts'
import { roundAmount } from '~/domain/round.ts'
import type { MidRows, TableAsk } from '~/service/past/mid-table.ts'
import type { Asked } from './asked.ts'
import type { Fault } from './fault.ts'

/** Response: an object becomes JSON, a string stays as it is. */
export type Said = object | string

/** Values of a table besides its rows. */
export type Table = {
  readonly base: string
  readonly days: readonly MidRows[]
  /** The rows of the only, or the first, bucket. */
  readonly rows: MidRows['rows']
  /** The time of its oldest row. */
  readonly atMs: number
}

export type RatesAsk = Omit<TableAsk, 'quotes'> & {
  /** The requested currencies; null for all. */
  readonly quotes: readonly string[] | null
  write(table: Table): Said
  /** Response if there is no rate at all; an error without. */
  readonly empty?: Said
}

/** A request, and how its response is written. */
export type Question =
  | { readonly rates: RatesAsk }
  | { currencies(all: readonly Currency[]): Said }
  | { usage(quota: Quota): Said }
  | { readonly said: Said }

/** An API of others, as its clients know it. */
export type Api = {
  readonly name: string
  /** Says whether currencies that are not served are left out, and not an error. */
  readonly isLenient?: boolean
  /** Indentation of JSON; none without. */
  indent?(asked: Asked): string | number | undefined
  /** Reads a request; throws a `CompatError`. */
  question(asked: Asked): Question
  error(fault: Fault, error: { readonly message: string; readonly status: number }): [number, Said]
}

/** Error of an API that sends a sentence: 404, unless it is about the key or the service. */
export const plainFailure: Api['error'] = (fault, { message, status }) => [
  ['key', 'quota', 'failure'].includes(fault) ? status : 404,
  `${message}\n`,
]

/** Names of currencies by their codes. */
export const namesOf = (all: readonly Currency[]) =>
  Object.fromEntries(all.map(({ code, name }) => [code, name]))

/** Rounded rates by the codes of their currencies, or by what `nameOf` makes of them. */
export const ratesBy = (rows: Table['rows'], nameOf = (quote: string) => quote) =>
  Object.fromEntries(rows.map(({ quote, rate }) => [nameOf(quote), roundAmount(rate)]))
