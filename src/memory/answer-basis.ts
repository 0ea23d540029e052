import type { Corridor } from '~/domain/corridor.ts'
import type { FeedState } from '~/domain/feed/state.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import type { CorridorBook } from './corridor-book.ts'
import type { Generation } from './memory.ts'
import type { ReferenceIndex } from './reference-index.ts'

/** A corridor that was looked at, and the book that was found there. */
type BookRead = Corridor & { readonly book: CorridorBook | undefined }

/**
 * Data that a response was read from, enough to find out later whether reading again would give the
 * same response.
 *
 * Errs on the safe side. It keeps the books that were read, and no generation.
 */
export class AnswerBasis {
  readonly #catalogue: CatalogueIndex
  readonly #references: ReferenceIndex
  readonly #feeds: FeedState
  readonly #daysSerial: number
  readonly #cutoffMs: number
  readonly #sinceMs: number
  readonly #books: BookRead[] = []
  #quotesSerial: number
  #isOfAllQuotes = false
  #untilMs = Number.POSITIVE_INFINITY

  constructor(generation: Generation, { cutoffMs, nowMs }: Freshness) {
    this.#catalogue = generation.catalogue
    this.#references = generation.references
    this.#feeds = generation.feeds
    this.#daysSerial = generation.days.serial
    this.#quotesSerial = generation.quotes.serial
    this.#cutoffMs = cutoffMs
    this.#sinceMs = nowMs
  }

  /** The last time up to which time alone changes nothing. */
  get untilMs(): number {
    return this.#untilMs
  }

  get corridors(): readonly Corridor[] {
    return this.#books
  }

  readBook(from: string, to: string, book: CorridorBook | undefined): void {
    this.#books.push({ from, to, book })
  }

  readAllQuotes(): void {
    this.#isOfAllQuotes = true
  }

  /** Notes that the response holds up to and including this time; then time may change it. */
  lastUntil(ms: number): void {
    if (ms < this.#untilMs) this.#untilMs = ms
  }

  /** Reports whether this generation would return the same response now. */
  holds(generation: Generation, { cutoffMs, nowMs }: Freshness): boolean {
    if (cutoffMs !== this.#cutoffMs || nowMs < this.#sinceMs || nowMs > this.#untilMs) return false
    const { catalogue, references, feeds, quotes, days } = generation
    if (catalogue !== this.#catalogue || references !== this.#references) return false
    if (feeds !== this.#feeds || days.serial !== this.#daysSerial) return false
    if (quotes.serial === this.#quotesSerial) return true
    if (this.#isOfAllQuotes) return false
    for (const { from, to, book } of this.#books) if (quotes.book(from, to) !== book) return false
    this.#quotesSerial = quotes.serial
    return true
  }
}
