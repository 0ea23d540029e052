import type { Window } from '~/domain/period.ts'

type Store = {
  /** Runs the work unless another process archives or prunes; null if one does. */
  once<T>(work: () => Promise<T>): Promise<T | null>
  /** The whole months before a time, oldest first. */
  months(beforeMs: number): Promise<readonly Window[]>
  corridors(): Promise<readonly number[]>
  sealedBeforeMs(): Promise<number>
  announce(months: readonly Window[]): Promise<number>
  archive(corridorId: number, month: Window): Promise<number>
  isLoose(month: Window): Promise<boolean>
  compact(month: Window): Promise<unknown>
}

export type ArchiveDeps = {
  readonly store: Store
  /** The time for which a month is announced before its rows leave. */
  readonly announcedMs: number
  readonly pause: (ms: number) => Promise<unknown>
  readonly reach?: (done: number, total: number) => void
}

type Archived = {
  readonly months: number
  /** Months with rows that are not sealed yet, which stay as they are. */
  readonly unsealed: number
  observations: number
}

/**
 * Archives the whole months before a time, oldest first, each corridor of a month in a transaction,
 * and then frees the space of its rows. Returns null if another process archives or prunes. A later
 * call continues after an interruption; rows that came back since are archived again.
 */
export const archiveObservations = (
  deps: ArchiveDeps,
  beforeMs: number,
): Promise<Archived | null> =>
  deps.store.once(async () => {
    const { store, pause, announcedMs, reach } = deps
    const closed = await store.months(beforeMs)
    const sealedMs = await store.sealedBeforeMs()
    const months = closed.filter((month) => month.beforeMs <= sealedMs)
    const unsealed = closed.length - months.length
    const done: Archived = { months: months.length, unsealed, observations: 0 }
    if (months.length === 0) return done
    const leftMs = announcedMs - (await store.announce(months))
    if (leftMs > 0) await pause(leftMs)
    const corridors = await store.corridors()
    for (const [nth, month] of months.entries()) {
      let moved = 0
      for (const [place, corridorId] of corridors.entries()) {
        reach?.(nth * corridors.length + place, months.length * corridors.length)
        moved += await store.archive(corridorId, month)
      }
      done.observations += moved
      if (moved > 0 || (await store.isLoose(month))) await store.compact(month)
    }
    return done
  })
