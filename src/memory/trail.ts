import { boundariesMs } from '~/domain/freshness.ts'
import { isValidAt, lastMsOf, type Passing } from '~/domain/offer/terms.ts'
import { type Dated, newestFirst } from '~/domain/quote.ts'

/** What a trail is made of: a value that may run out by its own terms. */
type Held = Dated & Passing

/** The last few values of one series, newest first: just those a reader can still ask for. */
export type Trail<T extends Held> = readonly T[]

/**
 * What held at `cutoffMs`, or undefined when the series began later: the newest value that was
 * still valid at `validMs`. Once it has run out, an older one that is still valid holds again.
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
 * same trail results. That is what lets a reload from the database run beside ingestion.
 */
export function trailWith<T extends Held>(trail: Trail<T>, value: T, nowMs: number): Trail<T> {
  if (trail.some(({ id }) => id === value.id)) return trail
  const next = pruned([...trail, value].sort(newestFirst), nowMs)
  return next.length === trail.length && next.every((kept, i) => kept === trail[i]) ? trail : next
}

/**
 * The trail without what nobody can ask for any more: it keeps what held at each boundary, and what
 * holds again once newer values have run out.
 */
export function pruned<T extends Held>(trail: Trail<T>, nowMs: number): Trail<T> {
  const [, ...tops] = boundariesMs(nowMs)
  const kept = new Set<T | undefined>(tops.map((cutoffMs) => valueAt(trail, cutoffMs)))
  for (const value of lastingSince(trail, tops.at(-1)!)) kept.add(value)
  return trail.every((value) => kept.has(value)) ? trail : trail.filter((value) => kept.has(value))
}

/**
 * Each value that is the newest valid one at some moment from `sinceMs` on, which is the first that
 * a reader's clock may still show.
 */
function lastingSince<T extends Held>(trail: Trail<T>, sinceMs: number): T[] {
  const lasting: T[] = []
  let coveredMs = Number.NEGATIVE_INFINITY
  for (const value of trail) {
    const lastMs = lastMsOf(value)
    if (lastMs < sinceMs || lastMs <= coveredMs) continue
    lasting.push(value)
    coveredMs = lastMs
  }
  return lasting
}
