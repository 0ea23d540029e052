import type { Window } from '~/domain/period.ts'
import type { IdRange } from './backlog.ts'

export type Dated<T> = {
  /**
   * Returns what is in force at each of `boundariesMs(nowMs)`, each once, in no particular order.
   */
  live(nowMs: number): Promise<readonly T[]>
  /** Everything with an id from `firstId` to `lastId`, by id; `window` is where their times lie. */
  between(firstId: number, lastId: number, window: Window | null): Promise<readonly T[]>
  /**
   * Takes the place of `between` where a commit may be seen in parts: the rows of a logged change,
   * all or none; null if it names none.
   */
  ofChange?(position: number): Promise<readonly T[] | null>
}

/** The most rows that are read by id: beyond that, loading everything live costs less. */
const RANGE_ROWS_MAX = 20_000

/** The rows of a change; if they are too many or not known, only the live ones among them. */
export async function rowsOf<T>(source: Dated<T>, range: IdRange, nowMs: number) {
  const named = await (source.ofChange
    ? loggedRows(source.ofChange, range)
    : between(source, range))
  if (named) return { rows: named, isPastChanged: false }
  return { rows: await source.live(nowMs), isPastChanged: true }
}

async function between<T>(
  source: Dated<T>,
  { firstId, lastId, window }: IdRange,
): Promise<readonly T[] | null> {
  const isKnown = firstId !== undefined && lastId !== undefined
  if (!isKnown || lastId - firstId >= RANGE_ROWS_MAX) return null
  return source.between(firstId, lastId, window ?? null)
}

async function loggedRows<T>(of: NonNullable<Dated<T>['ofChange']>, { position }: IdRange) {
  return position ? of(position) : null
}
