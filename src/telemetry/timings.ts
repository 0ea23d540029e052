/**
 * The time that things took: a histogram in which adding costs a few comparisons and no allocation.
 */
export class Timings {
  /** A count for each bound, and one for values beyond the last; none includes another. */
  readonly counts: Float64Array
  sumMs = 0

  /** `boundsMs` are the upper ends of the buckets, ascending and inclusive. */
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

/** Bounds from a response from memory to the longest time that a caller waits. */
export const REQUEST_BOUNDS_MS: readonly number[] = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000,
]

/** Bounds from a millisecond of work to a feed that takes all of its time. */
export const WORK_BOUNDS_MS: readonly number[] = [
  1, 5, 10, 50, 100, 500, 1000, 5000, 10_000, 30_000, 60_000, 300_000,
]
