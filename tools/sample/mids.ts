import type { MidRow } from './rows.ts'

type Peg = { to: string; rate: number }

const EUR = (rate: number): Peg => ({ to: 'EUR', rate })
const ZAR = (rate: number): Peg => ({ to: 'ZAR', rate })
const USD = (rate: number): Peg => ({ to: 'USD', rate })

/** Value of one unit of the anchor in a currency that is pegged to it. */
export const PEGS: Readonly<Record<string, Peg>> = {
  ...{ XOF: EUR(655.957), XAF: EUR(655.957), KMF: EUR(491.96775) },
  ...{ CVE: EUR(110.265), STN: EUR(24.5) },
  ...{ LSL: ZAR(1), SZL: ZAR(1), NAD: ZAR(1) },
  ...{ DJF: USD(177.721), AED: USD(3.6725), SAR: USD(3.75), QAR: USD(3.64), JOD: USD(0.709) },
}

/** The mids of the days of a feed, pegged currencies by their peg. */
export class Mids {
  private readonly perUsd = new Map<string, number>()
  private readonly nearest = new Map<string, string | null>()
  /** `YYYY-MM-DD`, oldest first. */
  readonly days: readonly string[]

  constructor(rows: readonly MidRow[]) {
    this.days = [...new Set(rows.map(({ date }) => date))].sort()
    for (const { date, currency, per_usd } of rows)
      this.perUsd.set(`${date} ${currency}`, Number(per_usd))
  }

  /** Units of `to` for one of `from` on a day; throws when the feed lacks one of them that day. */
  on(day: string, from: string, to: string): number {
    if (from === to) return 1
    const peg = PEGS[to]
    return peg?.to === from ? peg.rate : this.usdOn(day, to) / this.usdOn(day, from)
  }

  /** The mid of the nearest day; null where that is weeks away, or lacks one of the two. */
  near(day: string, from: string, to: string): number | null {
    const nearest = this.nearestTo(day)
    if (nearest === null) return null
    const known = [from, to].every((code) => this.isKnown(nearest, PEGS[code]?.to ?? code))
    return known ? this.on(nearest, from, to) : null
  }

  private nearestTo(day: string): string | null {
    const known = this.nearest.get(day)
    if (known !== undefined) return known
    const [first = null] = this.days.toSorted((a, b) => apart(a, day) - apart(b, day))
    const found = first !== null && apart(first, day) <= NEAR_MS_MAX ? first : null
    this.nearest.set(day, found)
    return found
  }

  private isKnown(day: string, currency: string): boolean {
    return currency === 'USD' || this.perUsd.has(`${day} ${currency}`)
  }

  private usdOn(day: string, currency: string): number {
    if (currency === 'USD') return 1
    const peg = PEGS[currency]
    if (peg) return this.usdOn(day, peg.to) * peg.rate
    const perUsd = this.perUsd.get(`${day} ${currency}`)
    if (perUsd === undefined) throw new Error(`no mid of ${currency} on ${day}`)
    return perUsd
  }
}

const NEAR_MS_MAX = 14 * 86_400_000
const apart = (a: string, b: string): number => Math.abs(Date.parse(a) - Date.parse(b))
