/** The maximum number of values of one kind that are remembered. */
const INTERNED_MAX = 50_000

/** Remembers values by a text, so that what equal rows of the database say is kept once. */
export class Interned<T> {
  readonly #known = new Map<string, T>()

  /** The value that was made for the text before, or is made now. */
  of(text: string, make: () => T): T {
    const before = this.#known.get(text)
    if (before !== undefined) return before
    if (this.#known.size >= INTERNED_MAX) this.#known.clear()
    const made = make()
    this.#known.set(text, made)
    return made
  }
}
