import type { StoredCorridor } from '~/domain/corridor.ts'
import { yearsBeforeMs } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import { type Rollups, repairRollups } from './verify-rollups.ts'

/** Deleted in one transaction. */
const PRUNE_ROWS_MAX = 5_000

type Retention = {
  once<T>(work: () => Promise<T>): Promise<T | null>
  outdated(
    beforeMs: number,
  ): Promise<readonly { readonly id: number; readonly corridorId: number }[]>
  prune(seriesId: number, limit: { beforeMs: number; rowsMax: number }): Promise<number>
  finish(pruning: { actor: string; beforeMs: number; observations: number }): Promise<void>
  settle(): Promise<void>
}

export type PruneDeps = {
  readonly store: Retention
  readonly rollups: Rollups
  readonly clock: { now(): number }
  /** Who is named in the list of prunings. */
  readonly actor: string
  /** Hears how many series are pruned. */
  readonly reach?: (done: number, total: number) => void
}

type Pruned = { readonly beforeMs: number; readonly observations: number }

/** From when on observations are kept: an hour is pruned whole or not at all. */
export const keptFromMs = (nowMs: number, years: number): number =>
  hourStartMs(yearsBeforeMs(nowMs, years))

/**
 * Deletes observations of more than `years` ago, in small transactions; null when another process
 * is at it.
 *
 * Roll-ups of a corridor are made right before its observations go, as nothing can tell afterwards.
 * Of each provider and corridor the last observation before the limit stays, so that every answer
 * about a later moment is what it was. What was deleted before a failure is kept count of, too; of
 * a run that was killed the next one does so.
 */
export function pruneObservations(deps: PruneDeps, years: number): Promise<Pruned | null> {
  const { store, clock, actor } = deps
  const beforeMs = keptFromMs(clock.now(), years)
  return store.once(async () => {
    await store.settle()
    let observations = 0
    try {
      for await (const count of deletions(deps, beforeMs)) observations += count
    } finally {
      if (observations > 0) await store.finish({ actor, beforeMs, observations })
    }
    return { beforeMs, observations }
  })
}

async function* deletions(
  { store, rollups, reach }: PruneDeps,
  beforeMs: number,
): AsyncGenerator<number> {
  const outdated = await store.outdated(beforeMs)
  const corridors = new Map((await rollups.corridors()).map((corridor) => [corridor.id, corridor]))
  let verified: StoredCorridor | undefined
  for (const [done, { id, corridorId }] of outdated.entries()) {
    reach?.(done, outdated.length)
    const corridor = corridors.get(corridorId)!
    if (corridor !== verified)
      await repairRollups(rollups, corridor, { fromMs: Number.NEGATIVE_INFINITY, beforeMs })
    verified = corridor
    for (let count = PRUNE_ROWS_MAX; count === PRUNE_ROWS_MAX; ) {
      count = await store.prune(id, { beforeMs, rowsMax: PRUNE_ROWS_MAX })
      yield count
    }
  }
}
