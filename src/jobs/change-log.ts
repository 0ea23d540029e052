import { AHEAD_MS_MAX, HOUR_MS, MINUTE_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { Window } from '~/domain/period.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { StepKind } from '~/memory/live/step.ts'

/** The time for which a tick is the time of a memory that begins. */
const TICK_AGE_MAX_MS = 5 * MINUTE_MS
/** The maximum number of rows of the log's rows that are read at once. */
const IDS_MAX = 5000

export type LogRow = {
  readonly position: number
  readonly kind: StepKind
  readonly atMs: number
  /** The new rows; null if they are many, or not known. */
  readonly ids: readonly number[] | null
  /**
   * The observations that the commit withdrew, of which there are few; `ids` are those that hold of
   * their offers from there on. Absent if the commit withdraws none.
   */
  readonly withdrawn?: readonly number[]
  /** Times of new observations; null if unknown. */
  readonly window: Window | null
  /** Placement of the rows on several servers; absent if every process sees a commit whole. */
  readonly spread?: Spread | null
  /** The catalogue as of a commit of it; null for other commits, and if it was not logged. */
  readonly catalogue: Catalogue | null
}

/** Placement of the rows of a change, and whether all servers show them. */
export type Spread = {
  readonly corridorIds: readonly number[]
  /**
   * Null once all of it was seen. Until then it is `open`, or `aside` if a process went on without
   * it; `again` reports rows that some went on without.
   */
  readonly state: 'open' | 'aside' | 'again' | null
  /**
   * The first and the last row in each corridor of a change that names no rows: a server shows all
   * of its part or nothing.
   */
  readonly witnesses: readonly number[]
}

/** End of the log: position 0 while it is empty. */
type LogEnd = {
  readonly position: number
  /** The times of the last tick and of the last hour; null if there is none. */
  readonly tickMs: number | null
  readonly hourMs: number | null
}

export type ChangeStore = {
  end(): Promise<LogEnd>
  /** The rows from a position on, including its own if it still exists; at most `rowsMax`. */
  from(position: number, rowsMax: number): Promise<readonly LogRow[]>
  /** Logs that time passed, unless there is such a row after the position already. */
  logTime(kind: 'tick' | 'hour', atMs: number, afterPosition: number): Promise<void>
  /** Deletes old rows, and returns their number. */
  prune(nowMs: number): Promise<number>
}

/** Reports whether a row does not say what it changed. */
export const isUnnamed = ({ kind, ids, catalogue }: LogRow): boolean =>
  kind === 'catalogue'
    ? catalogue === null
    : ids === null && (kind === 'observations' || kind === 'references')

export const idsOf = (rows: readonly LogRow[], kind: StepKind): number[] =>
  rows.flatMap((row) => (row.kind === kind ? (row.ids ?? []) : []))

/** Times of all rows' observations; null if that is unknown for any. */
export function windowOf(rows: readonly LogRow[]): Window | null {
  const windows = rows.flatMap(({ kind, window }) => (kind === 'observations' ? [window] : []))
  if (windows.some((window) => window === null)) return null
  return {
    fromMs: Math.min(...windows.map((window) => window!.fromMs)),
    beforeMs: Math.max(...windows.map((window) => window!.beforeMs)),
  }
}

/**
 * The time at which a memory begins: that of the last tick, so that processes agree on the changes
 * of the next one, and the open hour.
 */
export function timesAt({ tickMs, hourMs }: LogEnd, nowMs: number) {
  const isRecent = tickMs !== null && Math.abs(nowMs - tickMs) < TICK_AGE_MAX_MS
  const isOpen =
    hourMs !== null && hourMs <= nowMs + AHEAD_MS_MAX && hourMs >= hourStartMs(nowMs) - HOUR_MS
  return { atMs: isRecent ? Math.min(tickMs, nowMs) : nowMs, hourMs: isOpen ? hourMs : null }
}

/** The rows in parts that name about as many rows as may be read at once. */
export function* parts(rows: readonly LogRow[]): Generator<LogRow[]> {
  let part: LogRow[] = []
  let ids = 0
  for (const row of rows) {
    if (part.length > 0 && ids + (row.ids?.length ?? 0) > IDS_MAX) {
      yield part
      part = []
      ids = 0
    }
    part.push(row)
    ids += row.ids?.length ?? 0
  }
  if (part.length > 0) yield part
}
