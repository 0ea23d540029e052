import type { Freshness } from '~/domain/freshness.ts'
import type { Mid } from '~/domain/mid.ts'
import type { CatalogueIndex } from './catalogue-index.ts'
import type { CorridorBook, Sight } from './corridor-book.ts'
import { type CorridorView, EMPTY_VIEW } from './corridor-view.ts'
import type { Generation } from './memory.ts'

/** How old a thing may be and still be shown as current; null for any age. */
export type AgeLimits = { readonly midMaxAgeMs: number; readonly quoteMaxAgeMs: number | null }

/**
 * One generation as one request may see it: everything past the tier's cutoff, and everything too
 * old, is not there. All questions of a request go through one view, so they agree.
 */
export class View {
  readonly catalogue: CatalogueIndex
  readonly #sight: Sight

  constructor(
    readonly generation: Generation,
    readonly freshness: Freshness,
    private readonly limits: AgeLimits,
  ) {
    this.catalogue = generation.catalogue
    const oldestMs =
      limits.quoteMaxAgeMs === null
        ? Number.NEGATIVE_INFINITY
        : freshness.nowMs - limits.quoteMaxAgeMs
    this.#sight = { catalogue: this.catalogue, cutoffMs: freshness.cutoffMs, oldestMs }
  }

  /** The quotes of a corridor; empty when nobody quotes it. */
  corridor(from: string, to: string): CorridorView {
    return this.generation.quotes.book(from, to)?.view(this.#sight) ?? EMPTY_VIEW
  }

  /** The corridor of a book. */
  look(book: CorridorBook): CorridorView {
    return book.view(this.#sight)
  }

  /** The mid of a pair of fiat currencies, when both legs are recent. */
  mid(from: string, to: string): Mid | undefined {
    if (!this.isFiat(from) || !this.isFiat(to)) return undefined
    const mid = this.generation.references.mid(from, to, this.freshness.cutoffMs)
    return mid && this.isRecent(mid.atMs) ? mid : undefined
  }

  /** Whether a reference from `atMs` still counts as recent, or still did at `thenMs`. */
  isRecent(atMs: number, thenMs = this.freshness.nowMs): boolean {
    return thenMs - atMs <= this.limits.midMaxAgeMs
  }

  /** Whether the reference feed covers currencies of this kind at all. */
  isFiat(code: string): boolean {
    return this.catalogue.currency(code)?.kind === 'fiat'
  }
}
