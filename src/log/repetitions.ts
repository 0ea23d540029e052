export type RepetitionBounds = {
  /** The maximum number of lines of one message that are written in a window. */
  readonly linesMax: number
  readonly windowMs: number
}

const BOUNDS: RepetitionBounds = { linesMax: 60, windowMs: 60_000 }
/**
 * The maximum number of messages that are distinguished in a window; all others share one bound.
 */
const MESSAGES_MAX = 200
const OTHERS = 'other messages'

/**
 * Keeps one message from filling the log, however often it occurs: beyond a bound its lines are
 * only counted, and the count is logged when the window ends.
 */
export class Repetitions {
  readonly #counts = new Map<string, number>()

  constructor(
    private readonly tell: (leftOut: { lines: number; like: string }) => void,
    private readonly bounds = BOUNDS,
  ) {}

  /** Reports whether another line of a message is to be written. */
  admits(message: string): boolean {
    const isKnown = this.#counts.has(message) || this.#counts.size < MESSAGES_MAX
    const like = isKnown ? message : OTHERS
    const count = (this.#counts.get(like) ?? 0) + 1
    this.#counts.set(like, count)
    if (count === 1) setTimeout(() => this.#end(like), this.bounds.windowMs).unref()
    return count <= this.bounds.linesMax
  }

  /** Ends every window now. */
  end(): void {
    for (const like of [...this.#counts.keys()]) this.#end(like)
  }

  #end(like: string): void {
    const lines = (this.#counts.get(like) ?? 0) - this.bounds.linesMax
    this.#counts.delete(like)
    if (lines > 0) this.tell({ lines, like })
  }
}
