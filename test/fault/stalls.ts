const TICK_MS = 20
const KEPT_MS = 3_000
/** Processes that must run between a commit on one replica and the response of another. */
const TURNS = 4

/**
 * The longest recent time that this process waited for the processor. On a busy machine every
 * process waits as long, which is no error of the service: what is due within a second gets that
 * much more.
 */
export class Stalls {
  longestMs = 0
  #recent: { readonly at: number; readonly ms: number }[] = []
  #lastAt = performance.now()
  readonly #timer = setInterval(() => this.#tick(), TICK_MS)

  /** Time to add to a second. */
  get slackMs(): number {
    const sinceAt = performance.now() - KEPT_MS
    this.#recent = this.#recent.filter(({ at }) => at >= sinceAt)
    return TURNS * this.#recent.reduce((longest, { ms }) => Math.max(longest, ms), 0)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const at = performance.now()
    const ms = at - this.#lastAt - TICK_MS
    this.#lastAt = at
    if (ms > TICK_MS / 2) this.#recent.push({ at, ms })
    this.longestMs = Math.max(this.longestMs, ms)
  }
}
