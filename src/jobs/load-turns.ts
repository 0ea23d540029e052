import type { Log } from '~/log.ts'

type TurnDeps = {
  readonly clock: { now(): number }
  readonly log: Log
  /** The message for a turn that fails after one that did not. */
  readonly failure: string
  /** Loads everything that waits by now. */
  work(): Promise<void>
}

/** Loads waiting requests, one turn after the other, for as long as turns are requested. */
export class LoadTurns {
  /** The turn that was requested and has not begun, and the one that runs. */
  #next: PromiseWithResolvers<void> | null = null
  #current: PromiseWithResolvers<void> | null = null
  #isStopped = false
  #failure: { readonly error: unknown } | null = null
  #waitingSinceMs: number | null = null
  /** The time of the first request of the turn that has not begun. */
  #nextSinceMs = 0

  constructor(
    private readonly deps: TurnDeps,
    private isBegun = true,
  ) {}

  /** The time of the oldest request that no turn has served yet; null for none. */
  get waitingSinceMs(): number | null {
    return this.#waitingSinceMs
  }

  /** The error of the last turn; null if it succeeded. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Begins to take turns, if that was put off. */
  begin(): void {
    this.isBegun = true
    void this.#run()
  }

  stop(): void {
    this.#isStopped = true
    this.#next?.resolve()
    this.#next = null
  }

  /** Requests a turn; resolves when one that began after the request has succeeded or failed. */
  take(): Promise<void> {
    if (this.#isStopped) return this.settled()
    if (!this.#next) this.#nextSinceMs = this.deps.clock.now()
    this.#waitingSinceMs ??= this.#nextSinceMs
    this.#next ??= Promise.withResolvers()
    const { promise } = this.#next
    void this.#run()
    return promise
  }

  /** Resolves when every turn requested so far has succeeded or failed. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#current)?.promise
  }

  async #run(): Promise<void> {
    if (this.#current || !this.isBegun) return
    for (let turn = this.#next; turn; turn = this.#next) {
      this.#current = turn
      await null
      if (this.#next === turn) this.#next = null
      await this.#work()
      turn.resolve()
    }
    this.#current = null
  }

  async #work(): Promise<void> {
    if (this.#isStopped) return
    try {
      await this.deps.work()
      this.#failure = null
      this.#waitingSinceMs = this.#next && this.#nextSinceMs
    } catch (error) {
      if (!this.#failure) this.deps.log.warn({ err: error }, this.deps.failure)
      this.#failure = { error }
    }
  }
}
