import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import { NO_FILTERS } from '~/domain/offer/filter.ts'
import type { Catalogue } from '~/domain/provider.ts'
import { Memory } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import { WindowCache } from '~/memory/window-cache.ts'
import { type Snapshot, type SnapshotStore, snapshotIn } from '~/service/snapshot.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** What a file is made of. */
export type DayPast = SnapshotStore & {
  /** The catalogue as it was known when the day settled; null for that of now. */
  readonly catalogue?: Catalogue | null
  /** The corridors with an observation before a moment, by their codes. */
  corridorsBefore(beforeMs: number): Promise<readonly Corridor[]>
  /** When the first of all observations took effect; null without any. */
  firstMs(): Promise<number | null>
}

type Make = (past: DayPast) => Promise<Bytes>

export type DayFileStore = {
  /** The first file that was kept of a day, and how many editions there are; null without one. */
  find(day: string): Promise<{ readonly content: Bytes; readonly editions: number } | null>
  /** A later edition, from 2 on; null without it. */
  edition(day: string, edition: number): Promise<Bytes | null>
  /**
   * The file of a day: the kept one, else what `make` gives, which is then kept. It is made of what
   * was known at `knownMs`, or of what is known now if nothing had been recorded by then. Only one
   * process makes it at a time, and all others wait for that one. Nothing is kept if `make` throws.
   */
  keep(day: string, make: Make, knownMs?: number): Promise<Bytes>
}

/** Writes snapshots, one for each corridor, as the file of a day: YYYY-MM-DD. */
export type DayFileWriter = (snapshots: AsyncIterable<Snapshot>, day: string) => Promise<Bytes>

type Asked = {
  /** The UTC midnight that begins the day. */
  readonly dateMs: number
  /** The day as a text: YYYY-MM-DD. */
  readonly day: string
  /** From 1 on. */
  readonly edition?: number
  readonly write: DayFileWriter
}

/** A file, and which of how many editions it is. */
export type DayFile = {
  readonly content: Bytes
  readonly edition: number
  readonly editions: number
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
 * The file with every offer of every corridor as it was at the end of a UTC day. The first edition
 * is made of what was known when the day had settled, whenever it is made; a later one after a
 * correction. None changes.
 *
 * Throws `unknown_file` for a day that is not over or has not settled, for one before the first
 * observation, and for an edition that there is not.
 */
export async function dayFileOf(store: DayFileStore, view: View, asked: Asked): Promise<DayFile> {
  const { dateMs, day, edition = 1, write } = asked
  if (view.freshness.nowMs < settledMs(dateMs)) throw tooEarly(dateMs, day)
  const kept = await store.find(day)
  const editions = kept?.editions ?? 1
  if (edition > 1) {
    const content = edition > editions ? null : await store.edition(day, edition)
    if (!content) throw noEdition(day, editions)
    return { content, edition, editions }
  }
  const make = makerOf(view, { dateMs, day, write })
  const content = kept?.content ?? (await store.keep(day, make, settledMs(dateMs)))
  return { content, edition, editions }
}

/** What makes the content of a day's file. Throws `unknown_file` before the first observation. */
const makerOf =
  (view: View, { dateMs, day, write }: Asked): Make =>
  async (past) => {
    const first = await past.firstMs()
    if (first === null || first >= dateMs + DAY_MS) throw beforeAll(day)
    return write(snapshotsOf(past, thenView(view, past, dateMs), dateMs), day)
  }

/** The view with the catalogue of the day, where that is known. */
function thenView(view: View, { catalogue = null }: DayPast, dateMs: number): View {
  if (catalogue === null) return view
  const nowMs = settledMs(dateMs)
  const memory = new Memory()
  memory.publish({ catalogue }, nowMs)
  return new View(memory.current, { ...view.freshness, nowMs }, view.limits)
}

export type CorrectionStore = {
  /** The days before one whose files may differ from what is known by now, the oldest first. */
  doubtful(day: string, daysMax: number): Promise<readonly string[]>
  /**
   * Makes the next edition of a day, by what is known now and with the catalogue known at
   * `knownMs`; answers whether it differs from the newest, and keeps nothing if it does not.
   */
  correct(day: string, make: Make, knownMs: number): Promise<boolean>
}

/** How many files are made again in one run: all that are kept. */
const CORRECTED_MAX = 2000

/**
 * Makes a new edition of each file before `day` that a correction changed. A price that was
 * corrected may have held on the following days too: these are looked at until one is the same.
 * Answers how many editions were made.
 */
export async function correctFiles(
  store: CorrectionStore,
  view: View,
  { day: before, write }: Pick<Asked, 'day' | 'write'>,
): Promise<number> {
  const waiting = [...(await store.doubtful(before, CORRECTED_MAX))]
  const seen = new Set<string>()
  let made = 0
  for (let day = waiting.shift(); day && seen.size < CORRECTED_MAX; day = waiting.shift()) {
    if (day >= before || seen.has(day)) continue
    seen.add(day)
    const dateMs = Date.parse(`${day}T00:00:00Z`)
    const make = makerOf(view, { dateMs, day, write })
    if (!(await store.correct(day, make, settledMs(dateMs)))) continue
    made += 1
    waiting.unshift(dayText(dateMs + DAY_MS))
  }
  return made
}

export const dayText = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 'YYYY-MM-DD'.length)

const tooEarly = (dateMs: number, day: string): ServiceError => {
  const at = new Date(settledMs(dateMs)).toISOString()
  return new ServiceError(
    'unknown_file',
    `the file of ${day} is made an hour after the end of that UTC day; ask again after ${at}`,
    { available_at: at },
  )
}

const noEdition = (day: string, editions: number): ServiceError =>
  new ServiceError(
    'unknown_file',
    `the file of ${day} has ${editions === 1 ? 'one edition' : `${editions} editions`}; ` +
      `ask for edition ${editions} or an earlier one`,
  )

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
