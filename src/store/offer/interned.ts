const INTERNED_MAX = 50_000

/** Caches values by a string, so that equal rows of the database share one value. */
export class Interned<T> {
  readonly #known = new Map<string, T>()

  of(text: string, make: () => T): T {
    const before = this.#known.get(text)
    if (before !== undefined) return before
    if (this.#known.size >= INTERNED_MAX) this.#known.clear()
    const made = make()
    this.#known.set(text, made)
    return made
  }
}
