import { boundariesMs } from '~/domain/freshness.ts'
import { isValidAt, lastMsOf, type Passing } from '~/domain/offer/terms.ts'
import { type Dated, newestFirst } from '~/domain/quote.ts'

/** Element of a trail: a value that may expire by its own terms. */
type Held = Dated & Passing

/** The last few values of one series, newest first: just those a reader can still ask for. */
export type Trail<T extends Held> = readonly T[]

/**
 * Returns the value in force at `cutoffMs`, or undefined when the series began later: the newest
 * value that was still valid at `validMs`. Once it has expired, an older one that is still valid
 * applies again.
 */
export function valueAt<T extends Held>(
  trail: Trail<T>,
  cutoffMs: number,
  validMs = cutoffMs,
): T | undefined {
  for (const value of trail) if (value.atMs <= cutoffMs && isValidAt(value, validMs)) return value
  return undefined
}

/**
 * The trail with `value` in its place, however late it arrives; an unchanged trail when it adds
 * nothing.
 *
 * Adding is commutative and idempotent: in whatever order, and however often, values arrive, the
 * same trail results. So a reload from the database can run during ingestion.
 */
export function trailWith<T extends Held>(
  trail: Trail<T>,
  value: T,
  ...timesMs: readonly number[]
): Trail<T> {
  if (trail.some(({ id }) => id === value.id)) return trail
  const place = trail.findIndex((known) => newestFirst(value, known) < 0)
  const next = pruned(trail.toSpliced(place < 0 ? trail.length : place, 0, value), ...timesMs)
  return next.length === trail.length && next.every((kept, i) => kept === trail[i]) ? trail : next
}

/**
 * The trail without values that can no longer be requested: it retains those that hold at each
 * boundary, and each value that is the newest valid one at some time from the earliest boundary on,
 * the first that a reader's clock may still show.
 */
export function pruned<T extends Held>(trail: Trail<T>, ...timesMs: readonly number[]): Trail<T> {
  const boundaries = boundariesMs(...timesMs)
  const sinceMs = boundaries.at(-1)!
  const kept: T[] = []
  let coveredMs = Number.NEGATIVE_INFINITY
  /** A bit for each boundary whose value is found. */
  let found = 0
  for (const value of trail) {
    const before = found
    for (let i = 1; i < boundaries.length; i++)
      if (value.atMs <= boundaries[i]! && isValidAt(value, boundaries[i]!)) found |= 1 << i
    const lastMs = lastMsOf(value)
    const isLasting = lastMs >= sinceMs && lastMs > coveredMs
    if (isLasting) coveredMs = lastMs
    if (isLasting || found !== before) kept.push(value)
  }
  return kept.length === trail.length ? trail : kept
}
