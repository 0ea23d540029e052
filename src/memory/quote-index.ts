import { corridorKey } from '~/domain/corridor.ts'
import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import { CorridorBook } from './corridor-book.ts'
import { PersistentMap } from './persistent-map.ts'

/** The live quotes of every corridor. Immutable: publishing makes a new index, whole. */
export class QuoteIndex {
  private constructor(
    private readonly books: PersistentMap<CorridorBook>,
    /** The name of every corridor anybody ever quoted, by source, then target. */
    private readonly names: readonly string[],
    /** Which corridors a provider has ever quoted, by name, in order of appearance. */
    private readonly corridorsByProvider: PersistentMap<readonly string[]>,
    /** The newest `effective_from` of all; null before the first quote. */
    readonly lastUpdatedMs: number | null,
    /** Tells this index from any that was made from it or before it. */
    readonly serial: number,
  ) {}

  static readonly empty = new QuoteIndex(PersistentMap.empty(), [], PersistentMap.empty(), null, 0)

  /** This index with `quotes` added; its cost follows their number, not the size of the index. */
  with(quotes: readonly Quote[], nowMs: number): QuoteIndex {
    const books = new Map<string, CorridorBook>()
    const lists = new Map<string, readonly string[]>()
    for (const [key, group] of Map.groupBy(quotes, corridorKey)) {
      const { from, to } = group[0]!
      const book = this.books.get(key) ?? CorridorBook.empty(from, to)
      const next = book.with(group, nowMs)
      if (next !== book) books.set(key, next)
      for (const { providerId } of group) {
        const known = lists.get(providerId) ?? this.corridorsByProvider.get(providerId) ?? []
        if (book.quoteOf(providerId, Number.POSITIVE_INFINITY) || known.includes(key)) continue
        lists.set(providerId, [...known, key])
      }
    }
    if (books.size === 0) return this
    const newestMs = quotes.reduce((ms, { atMs }) => Math.max(ms, atMs), this.lastUpdatedMs ?? 0)
    return new QuoteIndex(
      this.books.with(books),
      this.#namesWith(books.keys()),
      this.corridorsByProvider.with(lists),
      newestMs,
      this.serial + 1,
    )
  }

  /** This index without what no reader can ask for any more. */
  pruned(nowMs: number): QuoteIndex {
    const changed: [string, CorridorBook][] = []
    for (const book of this.books.values()) {
      const next = book.pruned(nowMs)
      if (next !== book) changed.push([corridorKey(book), next])
    }
    if (changed.length === 0) return this
    return new QuoteIndex(
      this.books.with(changed),
      this.names,
      this.corridorsByProvider,
      this.lastUpdatedMs,
      this.serial + 1,
    )
  }

  book(from: string, to: string): CorridorBook | undefined {
    return this.books.get(corridorKey({ from, to }))
  }

  /** Every corridor anybody ever quoted, by source, then target currency. */
  *allBooks(): Generator<CorridorBook> {
    for (const name of this.names) yield this.books.get(name)!
  }

  /** Names sort as their two codes do: `/` comes before every letter. */
  #namesWith(names: Iterable<string>): readonly string[] {
    const added = [...names].filter((name) => !this.books.get(name))
    return added.length === 0 ? this.names : [...this.names, ...added].sort(compareText)
  }

  /** The books of every corridor one provider ever quoted, in order of appearance. */
  booksOf(providerId: string): CorridorBook[] {
    const keys = this.corridorsByProvider.get(providerId) ?? []
    return keys.map((key) => this.books.get(key)!)
  }
}
