import type { Log } from '~/log.ts'
import type { Positions } from '~/memory/positions.ts'

type TurnDeps = {
  readonly positions: Pick<Positions, 'position'>
  readonly clock: { now(): number }
  readonly log: Log
  /** Reads the log if `isWanted`, or as far as was heard of. */
  turn(isWanted: boolean): Promise<void>
}

/** Takes one turn after the other at the log while there is something that is not applied. */
export class LogTurns {
  #isBegun = false
  #isStopped = false
  #isFailing = false
  #isWanted = false
  /** The last position that somebody told of; 0 where there is none to wait for. */
  #heardPosition = 0
  #run: Promise<void> | null = null
  /** When the oldest news came that is not applied; null where everything is. */
  #waitingSinceMs: number | null = null

  constructor(private readonly deps: TurnDeps) {}

  get waitingSinceMs(): number | null {
    return this.#waitingSinceMs
  }

  get isFailing(): boolean {
    return this.#isFailing
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Whether a position was heard of that is not applied. */
  get isBehind(): boolean {
    return this.#heardPosition > this.deps.positions.position
  }

  get #isDue(): boolean {
    return this.#isWanted || this.isBehind
  }

  /** Begins to take turns. */
  begin(): void {
    this.#isBegun = true
    if (this.#isDue) this.#begin()
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Takes turns until a position is applied. */
  hearOf(position: number): void {
    this.#heardPosition = Math.max(this.#heardPosition, position)
    if (position > this.deps.positions.position) this.#begin()
  }

  /** Takes a turn. */
  wake(): void {
    this.#isWanted = true
    this.#begin()
  }

  /** Resolves when everything that was logged before is applied, or failed. */
  async caughtUp(): Promise<void> {
    this.wake()
    await this.settled()
  }

  /** Resolves when everything heard of so far is applied, or failed. */
  async settled(): Promise<void> {
    while (this.#run) await this.#run
  }

  #begin(): void {
    this.#waitingSinceMs ??= this.deps.clock.now()
    if (this.#isStopped || !this.#isBegun || this.#run) return
    this.#run = this.#follow().finally(() => {
      this.#run = null
      if (this.#isDue) this.#begin()
    })
  }

  async #follow(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      const isWanted = this.#isWanted
      this.#isWanted = false
      const heard = this.#heardPosition
      try {
        await this.deps.turn(isWanted)
        this.#isFailing = false
        if (!this.#isDue) this.#waitingSinceMs = null
      } catch (error) {
        if (!this.#isFailing) this.deps.log.warn({ err: error }, 'changes could not be followed')
        this.#isFailing = true
      }
      // What a read did not bring is not waited for: it was of another database, or is read again.
      if (heard === this.#heardPosition) this.#heardPosition = 0
    }
  }
}
