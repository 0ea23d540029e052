/** The longest wait for a position that is not reached yet. */
const WAIT_MS_MAX = 1000
/** The maximum number of requests that may wait at once. */
const WAITING_MAX = 10_000

/** Position of a memory in the log of changes, and the requests that wait for a later one. */
export class Positions {
  #position = 0
  readonly #waiting = new Map<() => void, number>()
  /** Called when a request waits for a position that is not reached. */
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

  /** `reached` for a position that another process may have committed. */
  awaited(position: number): Promise<boolean> {
    const reached = this.reached(position)
    if (this.#position < position) this.onAwaited()
    return reached
  }

  /** Resolves once a position is known; false after `msMax`, or if too many wait already. */
  async reached(position: number, msMax = WAIT_MS_MAX): Promise<boolean> {
    if (this.#position >= position) return true
    if (this.#waiting.size >= WAITING_MAX) return false
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, msMax)
    this.#waiting.set(resolve, position)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(resolve)
    return this.#position >= position
  }
}
