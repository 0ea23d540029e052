import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation } from '~/domain/observation.ts'
import { type FileRules, judged, parserOf } from '~/file/observations.ts'
import { readSentRow } from '~/wire/row/members.ts'
import { Misread, type Notation } from '~/wire/row/notation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { type Arrival, arrivalsOf, type Outer } from './arrivals.ts'
import type { Connector } from './definition.ts'
import { type Expression, expressionOf } from './expression.ts'

/** The most rows of one run. */
const ROWS_MAX = 10_000
/** From which share on the refused rows refuse a run. */
const REFUSED_PART_MAX = 4

/** What a connector's source gives now, as rows that were judged. */
export type Prices = {
  readonly rows: readonly Observation[]
  /** What is wrong with the rows that were refused, each with its place. */
  readonly faults: readonly string[]
  /** The values of the expressions of each row, in the order of the source. */
  readonly values: readonly Readonly<Record<string, unknown>>[]
  /** Why nothing may be recorded; null where the rows may be. */
  readonly refusal: string | null
}

/**
 * Asks a connector's source and reads every price in it by the rules of `POST /rates`. Throws a
 * FeedError where the source cannot be asked or read. More than a quarter of refused rows refuse
 * all.
 */
export async function pricesOf(
  connector: Connector,
  outer: Outer,
  rules: FileRules,
): Promise<Prices> {
  const reader = new Reader(connector, rules)
  for await (const arrival of arrivalsOf(connector, outer)) await reader.take(arrival)
  return reader.prices()
}

class Reader {
  readonly #rows: Expression
  readonly #members: readonly (readonly [name: string, expression: Expression])[]
  readonly #notation: Notation
  readonly #read: Parameters<typeof judged>[0][number][] = []
  readonly #values: Record<string, unknown>[] = []

  constructor(
    private readonly connector: Connector,
    private readonly rules: FileRules,
  ) {
    this.#rows = expressionOf(connector.rows ?? '$')
    this.#members = Object.entries(connector.row).map(([name, text]) => [name, expressionOf(text)])
    this.#notation = notationOf(connector)
  }

  async take(arrival: Arrival): Promise<void> {
    const found = await this.#rows.valueIn(arrival.document).catch((error: Error) => {
      throw new FeedError('malformed', `: rows ${error.message}`)
    })
    const rows = found === undefined ? [] : Array.isArray(found) ? found : [found]
    for (const row of rows) {
      if (this.#read.length >= ROWS_MAX)
        throw new FeedError('too_large', `gives more than ${ROWS_MAX} rows`)
      await this.#takeRow(row, arrival)
    }
  }

  async prices(): Promise<Prices> {
    const { rows, rejects } = await judged(this.#read, this.rules)
    const faults = rejects.map(({ copy, fault }) => `${copy}: ${fault}`)
    const all = this.#read.length
    const tooMany = `${faults.length} of ${all} rows were refused, which is more than a quarter`
    const refusal =
      all === 0 ? 'gave no rows' : faults.length * REFUSED_PART_MAX > all ? tooMany : null
    return { rows, faults, values: this.#values, refusal }
  }

  async #takeRow(row: unknown, { ask, atMs, name }: Arrival): Promise<void> {
    const number = this.#read.length + 1
    const copy = `row ${number}${name === '' ? '' : ` (${name})`}`
    const { values, faults } = await this.#valuesOf(row, ask)
    this.#values.push(values)
    const { provider: provider_id, evidence } = this.connector
    const given = { ...(provider_id && { provider_id }), ...(evidence && { evidence }) }
    const rules = { ...this.rules, defaultEffectiveMs: atMs }
    const reading =
      faults.length > 0
        ? { observation: null, faults }
        : readSentRow({ ...given, ...values }, { rules })
    this.#read.push({ reading, reject: (fault) => ({ number, fault, copy }) })
  }

  async #valuesOf(row: unknown, ask: Arrival['ask']) {
    const values: Record<string, unknown> = {}
    const faults: string[] = []
    const isObject = typeof row === 'object' && row !== null && !Array.isArray(row)
    const input = isObject ? { ...row, ask } : { value: row, ask }
    for (const [name, expression] of this.#members)
      try {
        const value = await expression.valueIn(input)
        const read = typeof value === 'string' ? this.#parsed(name, value) : (value ?? null)
        if (read instanceof Misread) faults.push(`${name} ${read.fault}`)
        else values[name] = Array.isArray(read) ? [...read] : read
      } catch (error) {
        faults.push(`${name} ${(error as Error).message}`)
      }
    return { values, faults }
  }

  #parsed(name: string, text: string): unknown {
    const trimmed = text.trim()
    return trimmed === '' ? null : parserOf(name, this.#notation)(trimmed)
  }
}

/** The text of a value, for a table of them. */
export const valueText = (value: unknown): string =>
  value instanceof WrittenNumber ? value.text : value == null ? '' : String(value)

const notationOf = ({ numbers, dates, time_zone }: Connector): Notation => ({
  decimal: numbers?.decimal ?? '.',
  dates: dates?.format ?? null,
  timeZone: time_zone ?? null,
  settingOf: (name, value) => SETTINGS[name](value),
})

const SETTINGS = {
  decimal: (value: string) => `numbers: { decimal: "${value}" }`,
  dates: (value: string) => `dates: { format: ${value} }`,
  'time-zone': (value: string) => `time_zone: ${value}`,
}
