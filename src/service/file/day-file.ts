import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { View } from '~/memory/view.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { type Snapshot, type SnapshotStore, snapshotIn } from '~/service/snapshot.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** What a file is made of. */
export type DayPast = SnapshotStore & {
  /** The corridors with an observation before a moment, by their codes. */
  corridorsBefore(beforeMs: number): Promise<readonly Corridor[]>
  /** When the first of all observations took effect; null without any. */
  firstMs(): Promise<number | null>
}

export type DayFileStore = {
  /** The file that was kept of a day; null without one. */
  find(day: string): Promise<Bytes | null>
  /**
   * The file of a day: the kept one, else what `make` gives, which is then kept. Only one process
   * makes it at a time, and all others wait for that one. Nothing is kept if `make` throws.
   */
  keep(day: string, make: (past: DayPast) => Promise<Bytes>): Promise<Bytes>
}

/** Writes snapshots, one for each corridor, as the file of a day. */
export type DayFileWriter = (snapshots: AsyncIterable<Snapshot>) => Promise<Bytes>

type Asked = {
  /** The UTC midnight that begins the day. */
  readonly dateMs: number
  /** The day as a text: YYYY-MM-DD. */
  readonly day: string
  readonly write: DayFileWriter
}

/**
 * How long after its end a day is taken to be complete: what a treasury records of its last minutes
 * has arrived by then.
 */
const SETTLED_MS = HOUR_MS

/** When the file of a day can be made. */
const settledMs = (dateMs: number): number => dateMs + DAY_MS + SETTLED_MS

/** The newest day whose file can be made, by its midnight. */
export const lastSettledDayMs = (nowMs: number): number =>
  Math.floor((nowMs - SETTLED_MS) / DAY_MS) * DAY_MS - DAY_MS

/**
 * The file with every offer of every corridor as it was at the end of a UTC day. It is made once:
 * what is recorded later for that day changes nothing in it.
 *
 * Throws `unknown_file` for a day that is not over or has not settled, and for one before the first
 * observation.
 */
export async function dayFileOf(store: DayFileStore, view: View, asked: Asked): Promise<Bytes> {
  const { dateMs, day, write } = asked
  if (view.freshness.nowMs < settledMs(dateMs)) throw tooEarly(dateMs, day)
  const made = async (past: DayPast) => {
    const first = await past.firstMs()
    if (first === null || first >= dateMs + DAY_MS) throw beforeAll(day)
    return write(snapshotsOf(past, view, dateMs))
  }
  return (await store.find(day)) ?? store.keep(day, made)
}

const tooEarly = (dateMs: number, day: string): ServiceError => {
  const at = new Date(settledMs(dateMs)).toISOString()
  return new ServiceError(
    'unknown_file',
    `the file of ${day} is made an hour after the end of that UTC day; ask again after ${at}`,
    { available_at: at },
  )
}

const beforeAll = (day: string): ServiceError =>
  new ServiceError(
    'unknown_file',
    `nothing had been observed by the end of ${day}; ask for a later day`,
  )

/** The corridors of a day, one after the other; those of currencies switched off are left out. */
async function* snapshotsOf(past: DayPast, view: View, dateMs: number): AsyncGenerator<Snapshot> {
  const windows = new WindowCache()
  const selection = { filters: NO_FILTERS, isEvery: true, maxAgeMs: null }
  for (const corridor of await past.corridorsBefore(dateMs + DAY_MS)) {
    if (!view.catalogue.currency(corridor.from) || !view.catalogue.currency(corridor.to)) continue
    yield await snapshotIn({ store: past, windows }, view, { corridor, dateMs, selection })
  }
}
