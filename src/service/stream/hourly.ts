import { HOUR_MS } from '~/domain/duration.ts'
import type { Freshness } from '~/domain/freshness.ts'
import type { Step } from '~/memory/live/step.ts'
import type { Generation } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { allChanges } from './changes.ts'
import { type Entry, LookedUpEntry } from './entry.ts'
import { catalogueChange, corridorsIn, GENERATION_BYTES } from './realtime.ts'

/** State that hourly readers saw last. */
export type HourBase = {
  readonly generation: Generation
  /** The hour; null if no hour has been opened since this process began. */
  readonly hourMs: number | null
}

const freshnessOf = (hourMs: number): Freshness => ({
  tier: 'hourly',
  nowMs: hourMs,
  cutoffMs: hourMs,
})

/**
 * Changes of an hour against the one before; null if `base` is of another hour, so that they are
 * unknown.
 *
 * It is held against what was known when the hour before was opened, and against what is known of
 * that hour by now: what was recorded since for an earlier time is sent, and so is its expiry.
 */
export function hourlyEntry(step: Step, base: HourBase, limits: AgeLimits): Entry | null {
  const { ms: hourMs, previousMs } = step.hour!
  const baseMs = base.hourMs ?? previousMs ?? hourMs - HOUR_MS
  if (previousMs !== null && previousMs !== baseMs) return null
  const freshness = freshnessOf(hourMs)
  const sight = {
    before: [base.generation, step.before].map(
      (generation) => new View(generation, freshnessOf(baseMs), limits),
    ),
    after: new View(step.after, freshness, limits),
  }
  const isCatalogueNew = base.generation.catalogue !== step.after.catalogue
  return new LookedUpEntry({
    position: step.position,
    freshness,
    general: isCatalogueNew ? catalogueChange(step.after) : null,
    changesOf: (corridor) => allChanges(sight, corridor),
    corridors: corridorsIn({ before: base.generation, after: step.after }),
    isWhole: base.hourMs !== null,
    heldBytes: 2 * GENERATION_BYTES,
  })
}
