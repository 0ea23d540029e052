import type { Currency, Peg } from '~/domain/currency.ts'
import type { Reference } from '~/domain/mid.ts'

type Priced = Pick<Currency, 'code' | 'kind' | 'peg'>

/**
 * What a dollar is worth in a pegged currency: the anchor's reference times the rate, with the
 * anchor's time, and the peg in front of the anchor's source.
 */
const peggedReference = (currency: string, peg: Peg, anchor: Reference): Reference => ({
  id: anchor.id,
  atMs: anchor.atMs,
  currency,
  perUsd: anchor.perUsd * peg.rate,
  source: `peg:${peg.to}+${anchor.source}`,
})

/**
 * By whose references each currency is priced: its own, or those of the anchor that its pegs lead
 * to.
 */
export class Anchors {
  readonly #byCode = new Map<string, string>()
  readonly #currencies: ReadonlyMap<string, Priced>
  /** Every currency that references price at all, with its peg. */
  readonly #text: string

  /** A circle of pegs counts as none: a file is refused for one, a table may hold it. */
  constructor(currencies: readonly Priced[]) {
    const fiat = currencies.filter(({ kind }) => kind === 'fiat')
    this.#currencies = new Map(fiat.map((currency) => [currency.code, currency]))
    for (const { code } of fiat) this.#byCode.set(code, this.#rootOf(code))
    const pegs = fiat.map(({ code, peg }) => [code, peg?.to, peg?.rate].join(' '))
    this.#text = pegs.sort().join('\n')
  }

  /** The currency whose references price `code`; undefined for what no feed covers. */
  of(code: string): string | undefined {
    return this.#byCode.get(code)
  }

  /** The reference of `code` that follows from one of its anchor. */
  reference(code: string, anchor: Reference): Reference {
    const peg = this.#byCode.get(code) === code ? null : this.#currencies.get(code)?.peg
    return peg ? peggedReference(code, peg, this.reference(peg.to, anchor)) : anchor
  }

  /** Whether every currency is priced as `others` prices it. */
  isSame(others: Anchors): boolean {
    return this === others || this.#text === others.#text
  }

  #rootOf(code: string): string {
    const seen = new Set<string>()
    for (let root = code; ; ) {
      if (seen.has(root)) return code
      seen.add(root)
      const peg = this.#currencies.get(root)?.peg
      if (!peg || !this.#currencies.has(peg.to)) return root
      root = peg.to
    }
  }
}
