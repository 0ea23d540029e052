import { boundariesMs } from '~/domain/freshness.ts'
import { type Dated, newestFirst } from '~/domain/quote.ts'

/** The last few values of one series, newest first: just those a reader can still ask for. */
export type Trail<T extends Dated> = readonly T[]

/** What held at `cutoffMs`, or undefined when the series began later. */
export function valueAt<T extends Dated>(trail: Trail<T>, cutoffMs: number): T | undefined {
  for (const value of trail) if (value.atMs <= cutoffMs) return value
  return undefined
}

/**
 * The trail with `value` in its place, however late it arrives; an unchanged trail when it adds
 * nothing.
 *
 * Adding is commutative and idempotent: in whatever order, and however often, values arrive, the
 * same trail results. That is what lets a reload from the database run beside ingestion.
 */
export function trailWith<T extends Dated>(trail: Trail<T>, value: T, nowMs: number): Trail<T> {
  if (trail.some(({ id }) => id === value.id)) return trail
  const next = pruned([...trail, value].sort(newestFirst), nowMs)
  return next.length === trail.length && next.every((kept, i) => kept === trail[i]) ? trail : next
}

/**
 * The trail without what nobody can ask for any more: it keeps what held at each boundary.
 */
export function pruned<T extends Dated>(trail: Trail<T>, nowMs: number): Trail<T> {
  const kept = new Set(boundariesMs(nowMs).map((cutoffMs) => valueAt(trail, cutoffMs)))
  return trail.every((value) => kept.has(value)) ? trail : trail.filter((value) => kept.has(value))
}
