import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Memory, Publication } from './memory.ts'

/** Where the references of days are looked up that memory does not hold itself. */
export type DaySource = {
  /** What each probe finds among everything committed by now, in any order. */
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
}

type DayDeps = {
  readonly memory: Memory
  readonly days: DaySource
  readonly clock: { now(): number }
}

/** How often days are looked up for one publication, because others were needed meanwhile. */
export const LOOKUPS_MAX = 5

/**
 * Publishes once memory knows the references of the day of every quote that it then serves. It
 * looks nothing up for quotes that are newer than every reference.
 *
 * Rejects when a look-up fails; then nothing is published.
 */
export async function publishWithDays(
  { memory, days, clock }: DayDeps,
  added: Publication,
): Promise<void> {
  for (let lookups = 0; lookups < LOOKUPS_MAX; lookups++) {
    const missing = memory.expect(added)
    if (missing.length === 0) break
    memory.learn(await days.referencesAt(missing))
  }
  memory.publish(added, clock.now())
}
