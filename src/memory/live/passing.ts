import { freshnessAt } from '~/domain/freshness.ts'
import type { CatalogueIndex } from '~/memory/catalogue-index.ts'
import type { CorridorBook } from '~/memory/corridor-book.ts'
import type { ReferenceIndex } from '~/memory/reference-index.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { ANYWHERE, type LiveMemory } from './live.ts'

/** The time until which a book looks as it does, with the inputs of that time. */
type Known = {
  readonly catalogue: CatalogueIndex
  readonly references: ReferenceIndex
  readonly atMs: number
  readonly untilMs: number
}

/** Reports when time alone changes the realtime view of watched corridors. */
export class Passing {
  readonly #known = new WeakMap<CorridorBook, Known>()

  constructor(
    private readonly live: LiveMemory,
    private readonly limits: AgeLimits,
  ) {}

  /** Reports whether a watched value differs now from the last tick. */
  isDue(nowMs: number): boolean {
    const { watched, current } = this.live
    const view = new View(current, freshnessAt('realtime', this.live.atMs), this.limits)
    if (watched.has(ANYWHERE)) {
      for (const book of current.quotes.allBooks())
        if (this.#untilMs(view, book) < nowMs) return true
      return false
    }
    for (const key of watched.keys()) {
      const [from, to] = key.split('/') as [string, string]
      const book = current.quotes.book(from, to)
      const untilMs = book ? this.#untilMs(view, book) : this.#lookedAt({ from, to }).basis.untilMs
      if (untilMs < nowMs) return true
    }
    return false
  }

  #untilMs({ catalogue, freshness: { nowMs: atMs } }: View, book: CorridorBook): number {
    const { references } = this.live.current
    const known = this.#known.get(book)
    const isSame = known?.catalogue === catalogue && known.references === references
    if (isSame && known.atMs <= atMs && atMs <= known.untilMs) return known.untilMs
    const { untilMs } = this.#lookedAt(book).basis
    this.#known.set(book, { catalogue, references, atMs, untilMs })
    return untilMs
  }

  #lookedAt({ from, to }: { readonly from: string; readonly to: string }): View {
    const { current, atMs } = this.live
    const view = new View(current, freshnessAt('realtime', atMs), this.limits)
    view.corridor(from, to)
    view.mid(from, to)
    return view
  }
}
