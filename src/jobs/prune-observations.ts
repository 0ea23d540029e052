import type { StoredCorridor } from '~/domain/corridor.ts'
import { yearsBeforeMs } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { PruneLimit, Pruning } from '~/domain/observation.ts'
import type { Window } from '~/domain/period.ts'
import { type RollupStore, repairRollups } from './repair-rollups.ts'

/** The maximum number of rows that are deleted in one transaction. */
const PRUNE_ROWS_MAX = 5_000

type RetentionStore = {
  /** Runs the work, or returns null at once if another process does; death releases the turn. */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** The whole months before a time that can be dropped at once, oldest first. */
  months(beforeMs: number): Promise<readonly Window[]>
  /**
   * Drops the oldest month, as `prune` would delete its observations, in one transaction. Returns
   * the number of observations; null if that is impossible at present. Its roll-ups must be right.
   */
  dropMonth(month: Window, beforeMs: number): Promise<number | null>
  /** Moves archived observations of the months that begin before a time back. */
  unarchive(beforeMs: number): Promise<unknown>
  /** The series that hold observations to prune, by corridor. */
  outdated(
    beforeMs: number,
  ): Promise<readonly { readonly id: number; readonly corridorId: number }[]>
  /**
   * Deletes the oldest observations of a series, in one transaction, but never the last one of an
   * offer before `beforeMs`, nor an older one that stays valid for longer, notes them in the
   * roll-ups, and returns their number. The database refuses a `beforeMs` of less than a year ago.
   */
  prune(seriesId: number, limit: PruneLimit): Promise<number>
  /**
   * Deletes withdrawn observations that took effect before then, uploads of such alone, and late
   * commits that earlier runs have left without use.
   */
  pruneWithdrawals(beforeMs: number): Promise<void>
  /** Records the pruning, and notifies listeners to load everything. */
  finish(pruning: Pruning): Promise<void>
  /** Records the pruning of a run that was interrupted before it could; the roll-ups know of it. */
  settle(): Promise<void>
}

export type PruneDeps = {
  readonly store: RetentionStore
  readonly rollups: RollupStore
  readonly clock: { now(): number }
  /** The person named in the list of prunings. */
  readonly actor: string
  /** Receives the number of months and series pruned so far. */
  readonly reach?: (done: number, total: number) => void
}

type Pruned = { readonly beforeMs: number; readonly observations: number }

/** The time from which observations are retained: an hour is pruned as a whole or not at all. */
export const keptFromMs = (nowMs: number, years: number): number =>
  hourStartMs(yearsBeforeMs(nowMs, years))

/**
 * Deletes observations older than `years`: month by month, and those outside of whole months in
 * small transactions. Returns null if another process is doing it.
 *
 * A corridor's roll-ups are repaired before its observations go, since that is impossible
 * afterwards. The last observation of each offer before the limit stays, and so do older ones that
 * stay valid for longer, so that responses about later times do not change. Rows deleted before a
 * failure are counted too; if a run was killed, the next one counts them. Withdrawn ones are
 * deleted too but not counted: no response had them.
 */
export function pruneObservations(deps: PruneDeps, years: number): Promise<Pruned | null> {
  const { store, clock, actor } = deps
  const beforeMs = keptFromMs(clock.now(), years)
  return store.once(async () => {
    await store.settle()
    let observations = 0
    try {
      for await (const count of deletions(deps, beforeMs)) observations += count
      await store.pruneWithdrawals(beforeMs)
    } finally {
      if (observations > 0) await store.finish({ actor, beforeMs, observations })
    }
    return { beforeMs, observations }
  })
}

async function* deletions(deps: PruneDeps, beforeMs: number): AsyncGenerator<number> {
  const months = await deps.store.months(beforeMs)
  yield* deletionsByMonth(deps, beforeMs, months)
  await deps.store.unarchive(beforeMs)
  yield* deletionsBySeries(deps, beforeMs, months.length)
}

async function* deletionsByMonth(
  { store, rollups, reach }: PruneDeps,
  beforeMs: number,
  months: readonly Window[],
): AsyncGenerator<number> {
  const [first, last] = [months[0], months.at(-1)]
  if (!first || !last) return
  const window = { fromMs: first.fromMs, beforeMs: last.beforeMs }
  for (const corridor of await rollups.corridors()) await repairRollups(rollups, corridor, window)
  for (const [done, month] of months.entries()) {
    reach?.(done, months.length)
    const count = await store.dropMonth(month, beforeMs)
    if (count === null) return
    yield count
  }
}

async function* deletionsBySeries(
  { store, rollups, reach }: PruneDeps,
  beforeMs: number,
  doneBefore: number,
): AsyncGenerator<number> {
  const outdated = await store.outdated(beforeMs)
  const corridors = new Map((await rollups.corridors()).map((corridor) => [corridor.id, corridor]))
  let verified: StoredCorridor | undefined
  for (const [done, { id, corridorId }] of outdated.entries()) {
    reach?.(doneBefore + done, doneBefore + outdated.length)
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
