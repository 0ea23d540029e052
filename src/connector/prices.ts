import { setImmediate } from 'node:timers/promises'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import type { Seen } from '~/domain/feed/connector.ts'
import { FeedError } from '~/domain/feed/feed.ts'
import type { Observation } from '~/domain/observation.ts'
import { evaluated, type FileRules, parserOf } from '~/file/observations.ts'
import { readSentRow } from '~/wire/row/members.ts'
import { Misread, type Notation } from '~/wire/row/notation.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import type { Arrival, Outer } from './arrival.ts'
import { arrivalsOf } from './arrivals.ts'
import { Reading } from './reading.ts'
import { unrepeated } from './repeats.ts'
import { ROWS_MAX } from './rows.ts'
import type { Connector } from './schema.ts'

/** The share of refused rows, and of rows against the usual, at which a run is refused. */
const REFUSED_PART_MAX = 4
const USUAL_PART_MIN = 2
/** The most files that are remembered as processed; arrivals find at most as many. */
const SEEN_FILES_MAX = 2000
/** The number of rows that are checked before requests have their turn. */
const ROWS_AT_ONCE = 500
const REPEAT = '6h'
const UNIT_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** One row of a source: the values of its expressions, and the result of checking it. */
export type PriceRow = {
  readonly values: Readonly<Record<string, unknown>>
  /** Error of the row; null if it is valid. */
  readonly fault: string | null
  /** The price; null if it is refused. */
  readonly observation: Observation | null
  readonly isRepeat: boolean
}

/** Current rows of a connector's source, checked. */
export type Prices = {
  /** All rows, in the order of the source. */
  readonly read: readonly PriceRow[]
  /** The rows to record: valid, and no repeats. */
  readonly rows: readonly Observation[]
  /** The number of rows that are usual from here on: all of them, or those of one file. */
  readonly usualRows: number
  /** Errors of the refused rows, each with its place. */
  readonly faults: readonly string[]
  /** The reason why nothing may be recorded; null if the rows may be. */
  readonly refusal: string | null
  /** Beginning of the last response or file; null if none came. */
  readonly excerpt: string | null
  /** Error of a file that cannot be read and is left for the next run; null for none. */
  readonly unread: FeedError | null
  /** Files that count as read once the rows are recorded. */
  readonly seen: Seen
}

type Given = {
  readonly rules: FileRules
  /** The number of rows that are usual; null if that is not known. */
  readonly usualRows: number | null
  readonly seen: Seen
}

/**
 * Queries a connector's source and reads every price in it by the rules of `POST /rates`. Throws a
 * FeedError if the source cannot be queried or read. More than a quarter of refused rows refuse
 * all, and so do fewer than half as many rows as usual. No rows and no refusal mean that there is
 * no new file. Of files, those that would give too many rows are left for the next run, and so are
 * those that cannot be read, if others can.
 */
export async function pricesOf(
  connector: Connector,
  outer: Omit<Outer, 'reading'>,
  given: Given,
): Promise<Prices> {
  const pricing = new Pricing(connector, given)
  const reading = new Reading(outer.fetcher)
  let unread: FeedError | null = null
  try {
    for await (const arrival of arrivalsOf(connector, { ...outer, reading }))
      if (!(await pricing.take(arrival))) break
  } catch (error) {
    if (!(error instanceof FeedError && pricing.hasFiles)) throw error
    unread = error
  } finally {
    reading.close()
  }
  return { ...(await pricing.prices()), unread }
}

type Evaluated = Parameters<typeof evaluated>[0][number] & Pick<PriceRow, 'values'>

class Pricing {
  readonly #notation: Notation
  readonly #read: Evaluated[] = []
  readonly #files: string[] = []
  #excerpt: string | null = null

  constructor(
    private readonly connector: Connector,
    private readonly given: Given,
  ) {
    this.#notation = notationOf(connector)
  }

  /** Takes the rows of a response or file; false for a file that is one too many. */
  async take({ rows, atMs, name, file, excerpt }: Arrival): Promise<boolean> {
    const isTooMany = this.#read.length + rows.length > ROWS_MAX
    if (isTooMany && file !== null) return false
    if (isTooMany) throw new FeedError('too_large', `gives more than ${ROWS_MAX} rows`)
    if (file !== null) this.#files.push(file)
    this.#excerpt = excerpt
    const rules = { ...this.given.rules, defaultEffectiveMs: atMs }
    for (const [at, row] of rows.entries()) {
      const place = `row ${at + 1}${name === '' ? '' : ` (${name})`}`
      this.#read.push(this.#evaluatedOf(row, { rules, place }))
      if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate()
    }
    return true
  }

  get hasFiles(): boolean {
    return this.#files.length > 0
  }

  async prices(): Promise<Omit<Prices, 'unread'>> {
    const { rules, seen } = this.given
    const { rows: valid, rejects } = await evaluated(this.#read, rules)
    const times = { repeatMs: repeatMsOf(this.connector), nowMs: rules.nowMs }
    const { rows, prices } = unrepeated(valid, seen.prices, times)
    const faultOf = new Map(rejects.map(({ number, fault }) => [number, fault]))
    const [kept, fresh] = [new Set(valid), new Set(rows)]
    const read = this.#read.map(({ values, reading: { observation } }, at) => ({
      ...{ values, fault: faultOf.get(at) ?? null },
      observation: observation && kept.has(observation) ? observation : null,
      isRepeat: observation !== null && kept.has(observation) && !fresh.has(observation),
    }))
    const faults = rejects.map(({ copy, fault }) => `${copy}: ${fault}`)
    const files = [...seen.files, ...this.#files].slice(-SEEN_FILES_MAX)
    const usualRows = Math.ceil(read.length / Math.max(1, this.#files.length))
    const refusal = this.#refusal(faults.length, usualRows)
    const result = { read, rows, faults, usualRows, refusal, excerpt: this.#excerpt }
    return { ...result, seen: { files, prices } }
  }

  #refusal(refused: number, rows: number): string | null {
    const { usualRows } = this.given
    const read = this.#read.length
    if (this.#excerpt === null) return null
    if (read === 0) return 'gave no rows'
    if (refused * REFUSED_PART_MAX > read)
      return `had ${refused} of its ${read} rows refused, more than a quarter`
    if (usualRows !== null && rows * USUAL_PART_MIN < usualRows)
      return `gave ${rows} row${rows === 1 ? '' : 's'}, fewer than half of the ${usualRows} before`
    return null
  }

  #evaluatedOf(
    row: Arrival['rows'][number],
    { rules, place }: { rules: FileRules; place: string },
  ) {
    const { provider: provider_id, evidence } = this.connector
    const number = this.#read.length
    const faults = [...row.faults]
    const values: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(row.values)) {
      const read = typeof value === 'string' ? this.#parsed(name, value) : value
      if (read instanceof Misread) faults.push(`${name} ${read.fault}`)
      values[name] = read instanceof Misread ? value : read
    }
    const sent = { ...(provider_id && { provider_id }), ...(evidence && { evidence }), ...values }
    const reading = faults.length > 0 ? { observation: null, faults } : readSentRow(sent, { rules })
    return { values, reading, reject: (fault: string) => ({ number, fault, copy: place }) }
  }

  #parsed(name: string, text: string): unknown {
    const trimmed = text.trim()
    return trimmed === '' ? null : parserOf(name, this.#notation)(trimmed)
  }
}

function repeatMsOf({ repeat = REPEAT }: Connector): number {
  return Number(repeat.slice(0, -1)) * UNIT_MS[repeat.slice(-1) as keyof typeof UNIT_MS]
}

export const valueText = (value: unknown): string =>
  value instanceof WrittenNumber ? value.text : value == null ? '' : String(value)

const notationOf = ({ numbers, dates, time_zone }: Connector): Notation => ({
  decimal: numbers?.decimal ?? '.',
  group: numbers?.group,
  dates: dates?.format ?? null,
  timeZone: time_zone ?? null,
  settingOf: (name, value) => SETTINGS[name](value),
})

const SETTINGS = {
  decimal: (value: string) => `numbers: { decimal: "${value}" }`,
  dates: (value: string) => `dates: { format: ${value} }`,
  'time-zone': (value: string) => `time_zone: ${value}`,
}
