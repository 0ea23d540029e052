/** The resolution of the trail: a position a second is enough to tell a lag in seconds. */
const STEP_MS = 1000

/**
 * The position of the primary's log at past moments, by our own steady clock, for as long as a lag
 * matters. An idle primary causes no lag, since its position does not change.
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
   * The time in milliseconds since the primary was at a replica's position, to the second; Infinity
   * if that is longer than matters.
   */
  lagMs(position: number, nowMs: number): number {
    if (position >= this.#latest) return 0
    const reached = this.#points.findLast((point) => point.position <= position)
    return reached ? nowMs - reached.atMs : Number.POSITIVE_INFINITY
  }
}
