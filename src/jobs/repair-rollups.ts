import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'

export type RollupStore = {
  /** Every corridor, by id. */
  corridors(): Promise<readonly StoredCorridor[]>
  /**
   * The hours of a window of whole hours whose roll-ups do not match their observations, pruned
   * ones included, oldest first. Sees one time: rows being recorded meanwhile do not count as
   * differences.
   */
  differences(
    corridor: StoredCorridor,
    window: Window,
  ): Promise<readonly { readonly hourMs: number }[]>
  /** Corrects the rollups of these hours and notifies listeners; safe during ingestion. */
  repair(corridor: StoredCorridor, hoursMs: readonly number[]): Promise<void>
}

/** The maximum number of hours that are repaired in one transaction. */
const REPAIR_HOURS_MAX = 1000

/** Repairs the roll-ups of a corridor's window; returns the hours that were wrong, oldest first. */
export async function repairRollups(
  store: RollupStore,
  corridor: StoredCorridor,
  window: Window,
): Promise<number[]> {
  const differences = await store.differences(corridor, window)
  const hoursMs = differences.map(({ hourMs }) => hourMs)
  for (let start = 0; start < hoursMs.length; start += REPAIR_HOURS_MAX)
    await store.repair(corridor, hoursMs.slice(start, start + REPAIR_HOURS_MAX))
  return hoursMs
}
