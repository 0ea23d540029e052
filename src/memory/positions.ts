/** How long a position is waited for that is not reached yet. */
const WAIT_MS_MAX = 1000
/** How many may wait at once. */
const WAITING_MAX = 10_000

/** How far a memory knows the log of changes, and those who wait for more. */
export class Positions {
  #position = 0
  readonly #waiting = new Map<() => void, number>()
  /** Called when somebody waits for a position that is not reached. */
  onAwaited: () => void = () => {}

  /** Everything up to this position is known. */
  get position(): number {
    return this.#position
  }

  /** Notes that everything up to a position is known; it is less in another database. */
  reach(position: number): void {
    this.#position = position
    for (const [resolve, awaited] of this.#waiting) if (awaited <= position) resolve()
  }

  /**
   * Resolves once everything up to a position is known; with false where that takes longer than a
   * moment, or too many wait already.
   */
  async reached(position: number): Promise<boolean> {
    if (this.#position >= position) return true
    if (this.#waiting.size >= WAITING_MAX) return false
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, WAIT_MS_MAX)
    this.#waiting.set(resolve, position)
    this.onAwaited()
    await promise
    clearTimeout(timer)
    this.#waiting.delete(resolve)
    return this.#position >= position
  }
}
