import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { copyLine, instantText } from '~/store/encoding.ts'
import { provider } from '../../support/catalogue.ts'

const SOURCES: Readonly<Record<string, number>> = {
  ...{ USD: 1, EUR: 0.86, GBP: 0.74, AED: 3.67, CAD: 1.38, CHF: 0.8, SAR: 3.75, ZAR: 17.7 },
  ...{ AUD: 1.52, NZD: 1.7, SEK: 9.5, NOK: 10.1, DKK: 6.4, JPY: 150, CNY: 7.1, INR: 88 },
  ...{ TRY: 42, BRL: 5.4, PLN: 3.65, QAR: 3.64 },
}
const TARGETS: Readonly<Record<string, number>> = {
  ...{ KES: 129, NGN: 1530, UGX: 3520, TZS: 2480, GHS: 11.8, RWF: 1447, ETB: 142, MAD: 9.05 },
  ...{ XOF: 563, ZMW: 23.6 },
}
/** Units per US dollar, roughly as in 2025. */
export const PER_USD: Readonly<Record<string, number>> = { ...SOURCES, ...TARGETS }

export const CODES = Object.keys(PER_USD)
export const PROVIDERS = Array.from({ length: 100 }, (_, i) => provider(`bench-${i}`))
/** Every provider prices each corridor, so there are 20,000 live quotes in all of them. */
export const CORRIDORS = Object.keys(SOURCES).flatMap((from) =>
  Object.keys(TARGETS).map((to) => ({ from, to })),
)

/** Providers whose prices expire after a day: 2 of 100. */
const OF_A_DAY = new Set(['bench-20', 'bench-70'])
/** A provider whose every tenth price holds for 45 days. */
const OF_WEEKS = 'bench-45'
const WEEKS_MS = 45 * DAY_MS

export type Corridor = { readonly from: string; readonly to: string }
export type Span = { readonly nowMs: number; readonly spanMs: number }

/** A row of `provider_corridors`, with its key. */
export type Series = Corridor & {
  readonly id: number
  readonly corridorId: number
  readonly providerId: string
}

export const COLUMNS =
  'id, effective_from, recorded_at, corridor_id, provider_corridor_id, rate_type, rate, fee, ' +
  'fee_currency, valid_until'

const PRICES = 512
const CHUNK_ROWS = 5000

/**
 * Observations as lines of COPY, in order of time: of the first `quoted` series in turn, so that
 * the prices of one corridor are adjacent, as with providers that are queried one after another.
 * The other series have one each, an hour before `nowMs`. Each is recorded as it takes effect. The
 * same arguments give the same lines. With fewer series, and as many fewer rows, they are the same
 * lines of these series, with ids of their own.
 */
export class Story {
  readonly count: number
  #next = 0
  readonly #prices = new Map<number, string[]>()

  constructor(
    private readonly series: readonly Series[],
    private readonly quoted: number,
    private readonly rows: number,
    private readonly span: Span,
  ) {
    this.count = rows + series.length - quoted
  }

  /** Yields in chunks the remaining lines that took effect before a time. */
  *until(beforeMs: number): Generator<string> {
    while (this.#next < this.count && this.#atMs(this.#next) < beforeMs) {
      let text = ''
      const end = Math.min(this.count, this.#next + CHUNK_ROWS)
      for (let atMs = this.#atMs(this.#next); this.#next < end && atMs < beforeMs; ) {
        text += this.#line(this.#next, atMs)
        atMs = this.#atMs(++this.#next)
      }
      yield text
    }
  }

  #atMs(i: number): number {
    const { nowMs, spanMs } = this.span
    if (i >= this.rows) return nowMs - HOUR_MS
    const turns = this.rows / this.quoted
    const turn = this.#turn(i) / this.series.length
    return Math.floor(nowMs - spanMs + (turn * (spanMs - HOUR_MS)) / turns)
  }

  /** The turn that this would be if all series were quoted. */
  #turn(i: number): number {
    return Math.floor(i / this.quoted) * this.series.length + (i % this.quoted)
  }

  #line(i: number, atMs: number): string {
    const turn = this.#turn(i)
    const series =
      i < this.rows ? this.series[i % this.quoted]! : this.series[this.quoted + i - this.rows]!
    const price = this.#pricesOf(series)[scattered(turn) % PRICES]!
    const until = untilMs(series.providerId, Math.floor(i / this.quoted), atMs)
    const [at, end] = [instantText(atMs), until === null ? '\\N' : instantText(until)]
    return `${i + 1}\t${at}\t${at}\t${series.corridorId}\t${series.id}\t${price}\t${end}\n`
  }

  /** Prices of a corridor's series in turn, as strings, created once. */
  #pricesOf({ corridorId, from, to }: Series): string[] {
    const known = this.#prices.get(corridorId)
    if (known) return known
    const mid = PER_USD[to]! / PER_USD[from]!
    const made = Array.from({ length: PRICES }, (_, i) => {
      const rate = (mid * (0.96 + (0.04 * i) / PRICES)).toPrecision(7)
      const fee = i % 10 < 3 ? null : (i / 51.2).toFixed(2)
      return copyLine(['retail', rate, fee, from]).trimEnd()
    })
    this.#prices.set(corridorId, made)
    return made
  }
}

/** A pseudo-random number without a visible pattern. */
const scattered = (i: number): number => (Math.imul(i ^ (i >>> 15), 0x2c1b3c6d) >>> 8) ^ (i >>> 12)

function untilMs(providerId: string, round: number, atMs: number): number | null {
  if (OF_A_DAY.has(providerId)) return atMs + DAY_MS
  return providerId === OF_WEEKS && round % 10 === 0 ? atMs + WEEKS_MS : null
}
