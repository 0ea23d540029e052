import { DAY_MS } from '~/domain/duration.ts'
import { dateMsOf } from '~/domain/instant.ts'
import type { Interval } from '~/domain/series.ts'
import { bucketEndMs, bucketStartMs } from '~/domain/series.ts'
import type { TableAsk } from '~/service/past/mid-table.ts'
import { FIRST_MS } from '~/wire/moment.ts'
import { CompatError, type Fault } from './fault.ts'

const CODES_MAX = 400
const DAYS_MAX = 366
/** The number of currencies that may be requested over more days. */
const FEW_CODES = 5
const FEW_DAYS_MAX = 1830
const AMOUNT_MAX = 1e15

type Span = TableAsk['span']

/** A request: a path below the name of the API, and a query. */
export class Asked {
  #query: URLSearchParams | null = null

  /** `written` is the query as it was sent. */
  constructor(
    readonly path: string,
    private readonly written: string,
    private readonly nowMs: number,
    readonly accept: string | null = null,
  ) {}

  /** The parts of the path by a pattern; null if it does not fit. */
  match(pattern: RegExp): string[] | null {
    return pattern.exec(this.path)?.slice(1) ?? null
  }

  whole = (): string => `${this.path}?${this.written}`

  private get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.written)
    return this.#query
  }

  /** The first of these parameters that is there and not empty. */
  text(...names: readonly string[]): string | null {
    for (const name of names) {
      const value = this.query.get(name)?.trim()
      if (value) return value
    }
    return null
  }

  /** Reports whether parameters of both names are there. */
  has = (name: string): boolean => this.query.has(name)

  /** Throws for a parameter that is none of these. */
  only(names: readonly string[]): void {
    const other = [...this.query.keys()].find((name) => !names.includes(name))
    if (other) throw new CompatError('parameter', `unknown parameter: ${other.slice(0, 40)}`)
  }

  /** A list of codes; null for all. */
  codes(...names: readonly string[]): readonly string[] | null {
    const text = this.text(...names)
    if (text === null) return null
    const codes = text.split(',').map((code) => code.trim().toUpperCase())
    if (codes.length <= CODES_MAX) return codes
    throw new CompatError('quotes', `ask for at most ${CODES_MAX} currencies at once`)
  }

  /** Base, currencies and bank by parameters of these names; `usual` is the base without one. */
  common({ base, codes, usual }: { base: string; codes: string; usual: string }) {
    const quotes = this.codes(codes)
    return { base: this.text(base)?.toUpperCase() ?? usual, quotes, bank: this.bank() }
  }

  /** The span between the dates in parameters of two names, for so many currencies. */
  range(from: string, to: string, count: number | undefined) {
    const ends = [this.day(this.text(from)), this.day(this.text(to))] as const
    const [start_date, end_date] = ends.map(dateOf)
    return { dates: { start_date, end_date }, span: this.between(ends, { count }) }
  }

  /** A positive number; 1 without any. */
  amount(text = this.text('amount')): number {
    const amount = text === null ? 1 : Number(text)
    if (amount > 0 && amount <= AMOUNT_MAX) return amount
    throw new CompatError('amount', 'the amount must be a number above 0')
  }

  /** The central bank whose official rates `kind=official` requests; null for mids. */
  bank(): string | null {
    const kind = this.text('kind')
    if (kind === null || kind === 'mid') return null
    const bank = this.text('bank')
    if (kind === 'official' && bank) return bank
    throw new CompatError(
      'parameter',
      'kind is mid, or official together with bank: kind=official&bank=central-bank-of-kenya',
    )
  }

  /** The start of a UTC day; today for one that has not come, if that is wanted. */
  day(text: string | null, { isLateFine = false, fault = 'date' as Fault } = {}): number {
    const atMs = text === null ? null : dateMsOf(text)
    if (atMs === null) throw new CompatError(fault, 'a date is written as YYYY-MM-DD')
    if (atMs < FIRST_MS) throw new CompatError(fault, 'a date must lie in 1900 or later')
    if (atMs <= this.nowMs) return atMs
    if (isLateFine) return this.today
    throw new CompatError(fault, 'this day is in the future; use today or an earlier UTC date')
  }

  get today(): number {
    return this.nowMs - (this.nowMs % DAY_MS)
  }

  on = (fromMs: number): NonNullable<Span> => ({
    ...{ fromMs, beforeMs: fromMs + DAY_MS, interval: 'P1D' as const },
  })

  /** Whole days, weeks or months from one day to another; long ones of a few currencies only. */
  between(
    [fromMs, toMs]: readonly [number, number],
    { interval = 'P1D' as Interval, count = Number.POSITIVE_INFINITY } = {},
  ): NonNullable<Span> {
    if (fromMs > toMs) throw new CompatError('range', 'the range ends before it begins')
    const days = (toMs - fromMs) / DAY_MS + 1
    const daysMax = count <= FEW_CODES || interval !== 'P1D' ? FEW_DAYS_MAX : DAYS_MAX
    if (days > daysMax)
      throw new CompatError(
        'range',
        `a range has at most ${DAYS_MAX} days, or ${FEW_DAYS_MAX} for up to ${FEW_CODES} ` +
          'currencies; split it into shorter requests',
      )
    return {
      interval,
      fromMs: bucketStartMs(fromMs, interval),
      beforeMs: bucketEndMs(bucketStartMs(toMs, interval), interval),
    }
  }
}

export const dateOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)

/** The last second of a day, in Unix time. */
export const lastSecondOf = (dayMs: number): number => (dayMs + DAY_MS) / 1000 - 1
export const secondsOf = (atMs: number): number => Math.floor(atMs / 1000)
