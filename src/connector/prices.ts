import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Seen } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation } from '~/domain/observation.ts'
import { type FileRules, judged, parserOf } from '~/file/observations.ts'
import { readSentRow } from '~/wire/row/members.ts'
import { Misread, type Notation } from '~/wire/row/notation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { type Arrival, arrivalsOf, type Outer } from './arrivals.ts'
import type { Connector } from './definition.ts'
import { type Expression, expressionOf } from './expression.ts'
import { unrepeated } from './repeats.ts'

/** The most rows of one run. */
const ROWS_MAX = 10_000
/** The share of refused rows, and of rows against the usual, at which a run is refused. */
const REFUSED_PART_MAX = 4
const USUAL_PART_MIN = 2
/** The most files that are remembered as processed; arrivals find at most as many. */
const SEEN_FILES_MAX = 2000
const REPEAT = '6h'
const UNIT_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** What a connector's source gives now, as rows that were judged. */
export type Prices = {
  /** The rows to record: valid, and no repeats. */
  readonly rows: readonly Observation[]
  /** How many rows were read, the refused and the repeats included. */
  readonly read: number
  /** How many rows are usual from here on: all of them, or those of one file. */
  readonly usualRows: number
  /** What is wrong with the rows that were refused, each with its place. */
  readonly faults: readonly string[]
  /** The values of the expressions of each row, in the order of the source. */
  readonly values: readonly Readonly<Record<string, unknown>>[]
  /** Why nothing may be recorded; null where the rows may be. */
  readonly refusal: string | null
  /** What counts as read once the rows are recorded. */
  readonly seen: Seen
}

type Reading = {
  readonly rules: FileRules
  /** How many rows are usual; null where that is not known. */
  readonly usualRows: number | null
  readonly seen: Seen
}

/**
 * Asks a connector's source and reads every price in it by the rules of `POST /rates`. Throws a
 * FeedError where the source cannot be asked or read. More than a quarter of refused rows refuse
 * all, and so do fewer than half as many rows as usual. No rows and no refusal mean that there is
 * no new file.
 */
export async function pricesOf(
  connector: Connector,
  outer: Outer,
  reading: Reading,
): Promise<Prices> {
  const reader = new Reader(connector, reading)
  for await (const arrival of arrivalsOf(connector, outer)) await reader.take(arrival)
  return reader.prices()
}

class Reader {
  readonly #rows: Expression
  readonly #members: readonly (readonly [name: string, expression: Expression])[]
  readonly #notation: Notation
  readonly #read: Parameters<typeof judged>[0][number][] = []
  readonly #values: Record<string, unknown>[] = []
  readonly #files: string[] = []
  #arrivals = 0

  constructor(
    private readonly connector: Connector,
    private readonly reading: Reading,
  ) {
    this.#rows = expressionOf(connector.rows ?? '$')
    this.#members = Object.entries(connector.row).map(([name, text]) => [name, expressionOf(text)])
    this.#notation = notationOf(connector)
  }

  async take(arrival: Arrival): Promise<void> {
    this.#arrivals++
    if (arrival.file !== null) this.#files.push(arrival.file)
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
    const { rules, seen } = this.reading
    const { rows: valid, rejects } = await judged(this.#read, rules)
    const faults = rejects.map(({ copy, fault }) => `${copy}: ${fault}`)
    const read = this.#read.length
    const times = { repeatMs: repeatMsOf(this.connector), nowMs: rules.nowMs }
    const { rows, prices } = unrepeated(valid, seen.prices, times)
    const files = [...seen.files, ...this.#files].slice(-SEEN_FILES_MAX)
    const usualRows = this.#files.length > 0 ? Math.ceil(read / this.#files.length) : read
    const refusal = this.#refusal(faults.length, usualRows)
    const counts = { read, usualRows, refusal }
    return { rows, faults, values: this.#values, ...counts, seen: { files, prices } }
  }

  #refusal(refused: number, rows: number): string | null {
    const { usualRows } = this.reading
    const read = this.#read.length
    if (this.#arrivals === 0) return null
    if (read === 0) return 'gave no rows'
    if (refused * REFUSED_PART_MAX > read)
      return `had ${refused} of its ${read} rows refused, more than a quarter`
    if (usualRows !== null && rows * USUAL_PART_MIN < usualRows)
      return `gave ${rows} row${rows === 1 ? '' : 's'}, fewer than half of the ${usualRows} before`
    return null
  }

  async #takeRow(row: unknown, { ask, atMs, name }: Arrival): Promise<void> {
    const number = this.#read.length + 1
    const copy = `row ${number}${name === '' ? '' : ` (${name})`}`
    const { values, faults } = await this.#valuesOf(row, ask)
    this.#values.push(values)
    const { provider: provider_id, evidence } = this.connector
    const given = { ...(provider_id && { provider_id }), ...(evidence && { evidence }) }
    const rules = { ...this.reading.rules, defaultEffectiveMs: atMs }
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

function repeatMsOf({ repeat = REPEAT }: Connector): number {
  return Number(repeat.slice(0, -1)) * UNIT_MS[repeat.slice(-1) as keyof typeof UNIT_MS]
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
