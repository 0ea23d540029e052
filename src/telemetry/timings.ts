/** How long things took: a histogram that costs a few comparisons and no allocation to add to. */
export class Timings {
  /** One for each bound, and one for what lies beyond the last; none includes another. */
  readonly counts: Float64Array
  sumMs = 0

  /** `boundsMs` are the upper ends of the buckets, ascending, each part of its bucket. */
  constructor(readonly boundsMs: readonly number[]) {
    this.counts = new Float64Array(boundsMs.length + 1)
  }

  add(ms: number): void {
    const { boundsMs } = this
    let bucket = 0
    while (bucket < boundsMs.length && ms > boundsMs[bucket]!) bucket++
    this.counts[bucket]!++
    this.sumMs += ms
  }

  get count(): number {
    let count = 0
    for (const each of this.counts) count += each
    return count
  }
}

/** From what memory answers in to what a caller still waits for. */
export const REQUEST_BOUNDS_MS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
]

/** From a moment's work to a feed that takes its whole time. */
export const WORK_BOUNDS_MS: readonly number[] = [
  1, 5, 10, 50, 100, 500, 1000, 5000, 10_000, 30_000, 60_000, 300_000,
]
