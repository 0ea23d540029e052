import type { StoredCorridor } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Window } from '~/domain/period.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'

export type Rollups = {
  corridors(): Promise<readonly StoredCorridor[]>
  differences(
    corridor: StoredCorridor,
    window: Window,
  ): Promise<readonly { readonly hourMs: number }[]>
  repair(corridor: StoredCorridor, hoursMs: readonly number[]): Promise<void>
}

type VerifyDeps = {
  readonly store: Rollups
  readonly memory: Memory
  readonly clock: { now(): number }
  readonly log: Log
}

/** How many corridors have their last hours verified in one run. */
const RECENT_CORRIDORS_MAX = 500
const RECENT_MS = 3 * HOUR_MS
/** How many slices of the whole history are verified in one run. */
const SLICES_PER_RUN = 20
const SLICE_MS = 31 * DAY_MS
/** How many slices a corridor's history has; the oldest has no beginning. */
const SLICES = 61
/** How many hours are repaired in one transaction. */
const REPAIR_HOURS_MAX = 1000

/**
 * Compares roll-ups with their observations, a bounded piece in each run: the last hours of the
 * corridors, and a slice of their whole history in turn. Differences are logged and repaired.
 *
 * If a run fails, the next one continues at the place where it stopped.
 */
export class RollupVerifier {
  #recent = 0
  #slice = 0

  constructor(private readonly deps: VerifyDeps) {}

  async run(): Promise<void> {
    const { store, clock } = this.deps
    const corridors = await store.corridors()
    if (corridors.length === 0) return
    const endMs = hourStartMs(clock.now()) + HOUR_MS
    for (let i = 0; i < Math.min(RECENT_CORRIDORS_MAX, corridors.length); i++) {
      const corridor = corridors[this.#recent % corridors.length]!
      await this.#verify(corridor, {
        fromMs: endMs - RECENT_MS,
        beforeMs: Number.POSITIVE_INFINITY,
      })
      this.#recent++
    }
    for (let i = 0; i < Math.min(SLICES_PER_RUN, corridors.length * SLICES); i++) {
      const corridor = corridors[Math.floor(this.#slice / SLICES) % corridors.length]!
      await this.#verify(corridor, sliceOf(this.#slice % SLICES, endMs))
      this.#slice++
    }
  }

  async #verify(corridor: StoredCorridor, window: Window): Promise<void> {
    const { store, memory, clock, log } = this.deps
    const repaired = await repairRollups(store, corridor, window)
    if (repaired.length === 0) return
    memory.publish({ isPastChanged: true }, clock.now())
    const { from, to } = corridor
    const hours = { count: repaired.length, first: new Date(repaired[0]!).toISOString() }
    log.warn(
      { from, to, hours },
      'roll-ups differed from their observations; they are corrected now',
    )
  }
}

function sliceOf(index: number, endMs: number): Window {
  const beforeMs = endMs - index * SLICE_MS
  const isOldest = index === SLICES - 1
  return { fromMs: isOldest ? Number.NEGATIVE_INFINITY : beforeMs - SLICE_MS, beforeMs }
}

/** Repairs the roll-ups of a corridor's window; answers the hours that were wrong, oldest first. */
export async function repairRollups(
  store: Rollups,
  corridor: StoredCorridor,
  window: Window,
): Promise<number[]> {
  const differences = await store.differences(corridor, window)
  const hoursMs = differences.map(({ hourMs }) => hourMs)
  for (let start = 0; start < hoursMs.length; start += REPAIR_HOURS_MAX)
    await store.repair(corridor, hoursMs.slice(start, start + REPAIR_HOURS_MAX))
  return hoursMs
}
