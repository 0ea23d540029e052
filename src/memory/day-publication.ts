import type { Probe, ProbeAnswer } from '~/domain/price/day-mids.ts'
import type { Memory, Publication } from './memory.ts'

/** Source of references of days that memory does not hold itself. */
export type DaySource = {
  /** Returns the result of each probe among everything committed by now, in any order. */
  referencesAt(probes: readonly Probe[]): Promise<readonly ProbeAnswer[]>
}

type DayDeps = { readonly memory: Memory; readonly days: DaySource }

/** Number of times that days are looked up for one publication, when others are needed. */
const LOOKUPS_MAX = 5

/**
 * Lets memory know the references of the day of every quote that it serves once `added` is
 * published. It looks nothing up for quotes that are newer than every reference.
 */
export async function learnDays({ memory, days }: DayDeps, added: Publication): Promise<void> {
  for (let lookups = 0; lookups < LOOKUPS_MAX; lookups++) {
    const missing = memory.expect(added)
    if (missing.length === 0) return
    memory.learn(await days.referencesAt(missing))
  }
}
