import type { Quote } from '~/domain/quote.ts'
import type { Publication } from '~/memory/memory.ts'

/** The maximum number of quotes that are kept. */
const QUOTES_MAX = 20_000
/** A publication of more is a reload, whose quotes are not new. */
const PUBLISHED_MAX = 1000

/** Quotes that were served lately, for those who need them again a moment later. */
export class RecentQuotes {
  readonly #byId = new Map<number, Quote>()

  note({ quotes = [] }: Publication): void {
    if (quotes.length > PUBLISHED_MAX) return
    for (const quote of quotes) this.#byId.set(quote.id, quote)
    for (const id of this.#byId.keys()) {
      if (this.#byId.size <= QUOTES_MAX) break
      this.#byId.delete(id)
    }
  }

  hasAll(ids: readonly number[]): boolean {
    return ids.every((id) => this.#byId.has(id))
  }

  /** Those of these ids that are here, which are forgotten. */
  take(ids: readonly number[]): Map<number, Quote> {
    const found = new Map<number, Quote>()
    for (const id of ids) {
      const quote = this.#byId.get(id)
      if (!quote) continue
      found.set(id, quote)
      this.#byId.delete(id)
    }
    return found
  }
}
