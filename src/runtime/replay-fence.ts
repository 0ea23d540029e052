import { corridorKey } from '~/domain/corridor.ts'
import type { News } from '~/memory/memory.ts'

/**
 * Which copies of the database know what is served here. Mutable, like the usage meter.
 *
 * A change is behind a position in the primary's log that is read after the change was heard of.
 * Until that position is read, and by a copy that has not replayed it, nothing that the change may
 * have touched is answered.
 */
export class ReplayFence {
  /** The changes whose position is not read yet, each with its number. */
  readonly #open = new Map<string, number>()
  readonly #needed = new Map<string, number>()
  #everythingNeeded = 0
  #changes = 0

  note({ quotes = [], references = [], isPastChanged = false }: News): void {
    if (quotes.length === 0 && references.length === 0 && !isPastChanged) return
    this.#changes++
    if (isPastChanged) this.#open.set(EVERYTHING, this.#changes)
    for (const quote of quotes) this.#open.set(corridorKey(quote), this.#changes)
    for (const { currency } of references) this.#open.set(currency, this.#changes)
  }

  /** Whether the primary has to be asked for its position. */
  get isOpen(): boolean {
    return this.#open.size > 0
  }

  /** The last change so far: take it before the position is read. */
  get changes(): number {
    return this.#changes
  }

  /** The primary was at `position` some time after change number `changes` was noted. */
  reach(position: number, changes: number): void {
    for (const [of, change] of this.#open) {
      if (change > changes) continue
      this.#open.delete(of)
      if (of === EVERYTHING) this.#everythingNeeded = position
      else this.#needed.set(of, position)
    }
  }

  /** Every copy in use has replayed as far as `position`. */
  forgetUpTo(position: number): void {
    for (const [of, needed] of this.#needed) if (needed <= position) this.#needed.delete(of)
  }

  /** Whether a copy at `position` knows all that was noted about these corridors or currencies. */
  isKnownAt(position: number, sources: readonly string[]): boolean {
    if (this.#open.has(EVERYTHING) || this.#everythingNeeded > position) return false
    return sources.every((of) => !this.#open.has(of) && (this.#needed.get(of) ?? 0) <= position)
  }
}

/** No corridor and no currency is called so. */
const EVERYTHING = ''
