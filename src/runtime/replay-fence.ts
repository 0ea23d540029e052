import { corridorKey } from '~/domain/corridor.ts'
import { USD } from '~/domain/currency.ts'
import type { Publication } from '~/memory/memory.ts'

/**
 * Knows which replicas of the database know the changes served here. Mutable, like the usage meter.
 *
 * A change lies before a position of the primary's log that is read after the change was reported.
 * A replica is not queried about anything that the change may have affected until that position is
 * read and the replica has replayed it.
 */
export class ReplayFence {
  /** Changes whose position is not read yet, each with its number. */
  readonly #open = new Map<string, number>()
  readonly #needed = new Map<string, number>()
  #everythingNeeded = 0
  #changes = 0

  note(publication: Publication): void {
    const { withdrawn = [], references = [], isPastChanged = false } = publication
    const quotes = [...(publication.quotes ?? []), ...withdrawn]
    if (quotes.length === 0 && references.length === 0 && !isPastChanged) return
    this.#changes++
    if (isPastChanged) this.#open.set(EVERYTHING, this.#changes)
    for (const quote of quotes) this.#open.set(corridorKey(quote), this.#changes)
    for (const { currency } of references) this.#open.set(currency, this.#changes)
    if (references.length > 0) this.#open.set(USD, this.#changes)
  }

  /** Reports whether the primary still has to be requested its position. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** The number of the last change so far: take it before reading the position. */
  get changes(): number {
    return this.#changes
  }

  /** Notes that the primary was at `position` some time after change number `changes`. */
  reach(position: number, changes: number): void {
    for (const [of, change] of this.#open) {
      if (change > changes) continue
      this.#open.delete(of)
      if (of === EVERYTHING) this.#everythingNeeded = position
      else this.#needed.set(of, position)
    }
  }

  /** Forgets changes up to `position`, which every replica in use has replayed. */
  forgetUpTo(position: number): void {
    for (const [of, needed] of this.#needed) if (needed <= position) this.#needed.delete(of)
  }

  /**
   * Reports whether a replica at `position` knows all changes noted about these corridors or
   * currencies; `USD` means any currency.
   */
  isKnownAt(position: number, sources: readonly string[]): boolean {
    if (this.#open.has(EVERYTHING) || this.#everythingNeeded > position) return false
    return sources.every((of) => !this.#open.has(of) && (this.#needed.get(of) ?? 0) <= position)
  }
}

/** A key that is not the name of a corridor or currency. */
const EVERYTHING = ''
