import { type Currency, type Peg, USD } from '~/domain/currency.ts'
import type { Reference } from '~/domain/mid.ts'
import { PEGS_MAX } from './peg.ts'

type Priced = Pick<Currency, 'code' | 'kind' | 'peg'>

/** Pricing of a currency: by `anchor`, which has no pegs, through `pegs`. */
type Pricing = {
  readonly anchor: string
  /** The anchor's first. */
  readonly pegs: readonly Peg[]
}

/** Whose references price each currency: its own, or those of the anchor that its pegs lead to. */
export class Anchors {
  readonly #byCode: ReadonlyMap<string, Pricing>
  /** Every currency that is priced at all, and how. */
  readonly #text: string

  /**
   * Pegs in a circle, or in too long a chain, count as none: a file is refused for them, a table
   * may hold them.
   */
  constructor(currencies: readonly Priced[]) {
    const fiat = new Map(
      currencies.filter(({ kind }) => kind === 'fiat').map((currency) => [currency.code, currency]),
    )
    this.#byCode = new Map([...fiat.keys()].map((code) => [code, pricingOf(code, fiat)]))
    this.#text = [...fiat.keys()]
      .map((code) => `${code} ${this.text(code)}`)
      .sort()
      .join()
  }

  /** The currency whose references price `code`; undefined for a code that no feed covers. */
  of(code: string): string | undefined {
    return this.#byCode.get(code)?.anchor
  }

  /**
   * The reference of a currency whose pegs lead to the dollar, which needs no feed: it holds at any
   * time, so its time is Infinity. Undefined for every other currency.
   */
  constant(code: string): Reference | undefined {
    return code !== USD && this.of(code) === USD ? this.reference(code, DOLLAR) : undefined
  }

  /** Value of a dollar in `code`, by its value in its anchor. */
  worth(code: string, perUsd: number): number {
    return this.#pegsOf(code).reduce((worth, { rate }) => worth * rate, perUsd)
  }

  /** The reference of `code` by one of its anchor: its time, and the pegs before its source. */
  reference(code: string, anchor: Reference): Reference {
    const pegs = this.#pegsOf(code)
    if (pegs.length === 0) return anchor
    const perUsd = this.worth(code, anchor.perUsd)
    const source = pegs.reduce(
      (text, { to }) => [`peg:${to}`, text].filter((part) => part !== '').join('+'),
      anchor.source,
    )
    const { id, atMs, dispersionBps = null } = anchor
    const basis = anchor.basis === 'disputed' ? 'disputed' : 'peg'
    return { id, atMs, currency: code, perUsd, source, basis, dispersionBps }
  }

  /** A string that differs whenever the price of `code` would. */
  text(code: string): string {
    return [this.of(code), ...this.#pegsOf(code).map(({ to, rate }) => `${to}*${rate}`)].join(' ')
  }

  /** Reports whether every currency is priced as `others` prices it. */
  isSame(others: Anchors): boolean {
    return this === others || this.#text === others.#text
  }

  #pegsOf(code: string): readonly Peg[] {
    return this.#byCode.get(code)?.pegs ?? []
  }
}

/** The dollar as a leg: no feed publishes it, and it holds at any time. */
export const DOLLAR: Reference = {
  id: 0,
  atMs: Number.POSITIVE_INFINITY,
  currency: USD,
  perUsd: 1,
  source: '',
}

function pricingOf(code: string, fiat: ReadonlyMap<string, Priced>): Pricing {
  const seen = new Set([code])
  const pegs: Peg[] = []
  for (let anchor = code; ; ) {
    const peg = fiat.get(anchor)?.peg
    if (!peg || !fiat.has(peg.to)) return { anchor, pegs }
    if (seen.has(peg.to) || pegs.length === PEGS_MAX) return { anchor: code, pegs: [] }
    seen.add(peg.to)
    pegs.unshift(peg)
    anchor = peg.to
  }
}
