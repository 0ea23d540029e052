import type { LoggedChange } from '~/memory/live/live.ts'

/** The maximum number of commits that wait for their turn; others are read from the log. */
const COMMITS_MAX = 1000

/** A commit of observations of this process. */
export type OwnCommit = Pick<LoggedChange, 'position' | 'atMs' | 'quotes' | 'withdrawn'> & {
  /** The position of the commit before. */
  readonly previous: number
  /** Whether the log names its rows; if not, there is a gap for all processes. */
  readonly isNamed: boolean
}

/**
 * The commits of this process: each is applied without reading the log if it comes next there.
 *
 * Notifications of these commits are ignored while some run: the commits are handed over
 * afterwards. If the response to one was lost, its position in the log is remembered.
 */
export class OwnCommits {
  readonly #after = new Map<number, OwnCommit>()
  #running = 0
  #ownPosition = 0

  /** Runs work that commits; `onQuiet` receives the last position once nothing runs. */
  async during<T>(work: () => Promise<T>, onQuiet: (position: number) => void): Promise<T> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      if (this.#running === 0) onQuiet(this.#ownPosition)
    }
  }

  /** Returns whether the notification of an own commit may wait, since some are running. */
  isAwaited(position: number): boolean {
    if (this.#running === 0) return false
    this.#ownPosition = Math.max(this.#ownPosition, position)
    return true
  }

  add(commit: OwnCommit): void {
    if (this.#after.size < COMMITS_MAX) this.#after.set(commit.previous, commit)
  }

  /** Takes out the commit that comes next after a position, and forgets applied ones. */
  takeAfter(applied: number): OwnCommit | undefined {
    for (const [previous, { position }] of this.#after)
      if (position <= applied) this.#after.delete(previous)
    const next = this.#after.get(applied)
    this.#after.delete(applied)
    return next
  }
}
