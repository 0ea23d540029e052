/** A position once a second is enough to tell a lag in seconds. */
const STEP_MS = 1000

/**
 * Where the primary's log stood at past moments, by our own steady clock, for as long as a lag
 * matters. An idle primary makes no lag: its position stands still.
 */
export class PositionTrail {
  #points: { readonly atMs: number; readonly position: number }[] = []
  #latest = 0

  constructor(private readonly reachMs: number) {}

  note(position: number, nowMs: number): void {
    this.#latest = position
    const last = this.#points.at(-1)
    if (last && nowMs - last.atMs < STEP_MS) return
    this.#points = this.#points.filter(({ atMs }) => atMs >= nowMs - this.reachMs - STEP_MS)
    this.#points.push({ atMs: nowMs, position })
  }

  /**
   * Milliseconds since the primary stood where a copy stands now, to the second; Infinity when that
   * is longer ago than it matters.
   */
  lagMs(position: number, nowMs: number): number {
    if (position >= this.#latest) return 0
    const reached = this.#points.findLast((point) => point.position <= position)
    return reached ? nowMs - reached.atMs : Number.POSITIVE_INFINITY
  }
}
