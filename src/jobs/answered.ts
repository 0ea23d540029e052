/** The longest time that a stream waits for what was answered before it. */
const WAIT_MS_MAX = 3_000

/**
 * Counts the rows that this process confirmed to callers as recorded, and how many of these are
 * applied: a stream that begins afterwards must not report them as new.
 */
export class Answered {
  #noted = 0
  #applied = 0
  readonly #waiting = new Map<() => void, number>()

  /** Notes that a commit, which stands in the log by now, is answered. */
  note(): void {
    this.#noted++
  }

  /** The number of noted positions that a reading of the log that begins now will apply. */
  get noted(): number {
    return this.#noted
  }

  get isApplied(): boolean {
    return this.#applied >= this.#noted
  }

  /** Notes that so many are applied; Infinity lets everything that waits go on. */
  reached(count: number): void {
    if (Number.isFinite(count)) this.#applied = Math.max(this.#applied, count)
    for (const [resolve, upTo] of this.#waiting) if (upTo <= count) resolve()
  }

  /** Resolves when everything noted so far is applied, could not be, or took too long. */
  async applied(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(resolve, this.#noted)
    const timer = setTimeout(resolve, WAIT_MS_MAX)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(resolve)
  }
}
