import { corridorKey } from '~/domain/corridor.ts'
import type { Quote } from '~/domain/quote.ts'
import { compareText } from '~/domain/rank.ts'
import { CorridorBook } from './corridor-book.ts'
import { PersistentMap } from './persistent-map.ts'

type Parts = {
  readonly books: PersistentMap<CorridorBook>
  /** The name of every corridor ever quoted, by source, then target. */
  readonly names: readonly string[]
  /** The corridors that a provider has ever quoted, by its name, in order of appearance. */
  readonly corridorsByProvider: PersistentMap<readonly string[]>
  readonly lastUpdatedMs: number | null
  /** The ids of quotes that were withdrawn lately, the last one last. */
  readonly withdrawn: ReadonlySet<number>
  readonly serial: number
}

/** The maximum number of withdrawn quotes known by id: more than come during a load. */
const WITHDRAWN_MAX = 10_000

let serials = 0

/** The live quotes of every corridor. Immutable: each publication makes a new index. */
export class QuoteIndex {
  private constructor(private readonly parts: Parts) {}

  static readonly empty = new QuoteIndex({
    books: PersistentMap.empty(),
    names: [],
    corridorsByProvider: PersistentMap.empty(),
    lastUpdatedMs: null,
    withdrawn: new Set(),
    serial: 0,
  })

  /** The newest `effective_from` of all quotes; null before the first. */
  get lastUpdatedMs(): number | null {
    return this.parts.lastUpdatedMs
  }

  /** A number that distinguishes this index from every other. */
  get serial(): number {
    return this.parts.serial
  }

  /** Adds `quotes` but withdrawn ones; the cost follows their number, not the size of the index. */
  with(added: readonly Quote[], ...timesMs: readonly number[]): QuoteIndex {
    const { corridorsByProvider, withdrawn } = this.parts
    const quotes = withdrawn.size > 0 ? added.filter(({ id }) => !withdrawn.has(id)) : added
    const books = new Map<string, CorridorBook>()
    const lists = new Map<string, readonly string[]>()
    for (const [key, group] of Map.groupBy(quotes, corridorKey)) {
      const { from, to } = group[0]!
      const book = this.parts.books.get(key) ?? CorridorBook.empty(from, to)
      const next = book.with(group, ...timesMs)
      if (next === book) continue
      books.set(key, next)
      for (const { providerId } of group) {
        const known = lists.get(providerId) ?? corridorsByProvider.get(providerId) ?? []
        if (book.has(providerId) || known.includes(key)) continue
        lists.set(providerId, [...known, key])
      }
    }
    if (books.size === 0) return this
    const newestMs = quotes.reduce((ms, { atMs }) => Math.max(ms, atMs), this.lastUpdatedMs ?? 0)
    return new QuoteIndex({
      ...this.parts,
      books: this.parts.books.with(books),
      names: this.#namesWith(books.keys()),
      corridorsByProvider: corridorsByProvider.with(lists),
      lastUpdatedMs: newestMs,
      serial: ++serials,
    })
  }

  /** An index without withdrawn quotes, which it refuses from loads that read them before. */
  without(gone: readonly Quote[]): QuoteIndex {
    if (this.hasWithdrawn(gone.map(({ id }) => id))) return this
    const ids = new Set(gone.map(({ id }) => id))
    const known = [...this.parts.withdrawn.difference(ids), ...ids]
    const changed = new Map<string, CorridorBook>()
    for (const key of new Set(gone.map(corridorKey))) {
      const book = this.parts.books.get(key)
      const next = book?.without(ids)
      if (next && next !== book) changed.set(key, next)
    }
    const books = this.parts.books.with(changed)
    return new QuoteIndex({
      ...this.parts,
      books,
      lastUpdatedMs: changed.size > 0 ? newestIn(books) : this.lastUpdatedMs,
      withdrawn: new Set(known.slice(-WITHDRAWN_MAX)),
      serial: ++serials,
    })
  }

  hasWithdrawn(ids: readonly number[]): boolean {
    return ids.every((id) => this.parts.withdrawn.has(id))
  }

  /** An index without quotes that no reader can ask for any more. */
  pruned(nowMs: number): QuoteIndex {
    const changed: [string, CorridorBook][] = []
    for (const book of this.parts.books.values()) {
      const next = book.pruned(nowMs)
      if (next !== book) changed.push([corridorKey(book), next])
    }
    if (changed.length === 0) return this
    const books = this.parts.books.with(changed)
    return new QuoteIndex({ ...this.parts, books, serial: ++serials })
  }

  book(from: string, to: string): CorridorBook | undefined {
    return this.parts.books.get(corridorKey({ from, to }))
  }

  /** Every quote held, in no particular order. */
  *allQuotes(): Generator<Quote> {
    for (const book of this.parts.books.values()) yield* book.allQuotes()
  }

  /** The books of every corridor ever quoted, by source, then target currency. */
  *allBooks(): Generator<CorridorBook> {
    for (const name of this.parts.names) yield this.parts.books.get(name)!
  }

  /** The name of every corridor ever quoted, by source, then target; one list while none is new. */
  get names(): readonly string[] {
    return this.parts.names
  }

  /** Adds names in order. Names sort as their two codes do, since `/` comes before every letter. */
  #namesWith(names: Iterable<string>): readonly string[] {
    const added = [...names].filter((name) => !this.parts.books.get(name))
    return added.length === 0 ? this.parts.names : [...this.parts.names, ...added].sort(compareText)
  }

  /** The books of every corridor one provider ever quoted, in order of appearance. */
  booksOf(providerId: string): CorridorBook[] {
    const keys = this.parts.corridorsByProvider.get(providerId) ?? []
    return keys.map((key) => this.parts.books.get(key)!)
  }
}

function newestIn(books: PersistentMap<CorridorBook>): number | null {
  let newestMs: number | null = null
  for (const book of books.values())
    for (const { atMs } of book.allQuotes()) newestMs = Math.max(newestMs ?? atMs, atMs)
  return newestMs
}
