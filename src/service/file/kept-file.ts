import { ServiceError } from '~/domain/errors.ts'
import { Memory } from '~/memory/memory.ts'
import { View } from '~/memory/view.ts'
import type { DayPast, FilePast } from './past.ts'
import { dayText, isDay, type Period, periodOf, settledMs } from './period.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** An edition of the file of a period. */
export type KeptFile = {
  readonly period: string
  readonly edition: number
  readonly editions: number
  /** Null in files of days that earlier versions made. */
  readonly rows: number | null
  readonly bytes: number
  /** SHA-256 of the file, in hex. */
  readonly digest: string
}

export type ListedFile = Omit<KeptFile, 'editions'> & { readonly madeMs: number }

export type Put = (bytes: Bytes) => Promise<void>
type Make = (past: FilePast, put: Put) => Promise<number>

type Making = {
  readonly period: string
  readonly edition: number
  /** Puts the bytes of the file; returns its rows. */
  readonly make: Make
  /** The time when the period had settled. */
  readonly knownMs: number
}

export type FileStore = {
  find(period: string, edition: number): Promise<KeptFile | null>
  /** A part of a file, from 0 on; null after the last. */
  part(file: KeptFile, part: number): Promise<Bytes | null>
  isWhole(file: KeptFile): Promise<boolean>
  /** The time when the first observation took effect; null without any. */
  firstMs(): Promise<number | null>
  /** All files, the latest period first. */
  list(): Promise<readonly ListedFile[]>
  /**
   * The stored file if it is whole, else what `make` puts, which is then stored. The first edition
   * shows what was known at `knownMs`, or what is known now if nothing had been recorded by then; a
   * later one what was known when it was first made. Only one process makes a file at a time, and
   * all others wait for that one. Nothing changes if `make` throws.
   */
  keep(making: Making): Promise<KeptFile>
}

/** Puts the file of a period, from a view with the catalogue of then; returns its row count. */
export type FileMaker = (past: FilePast, view: View, period: Period, put: Put) => Promise<number>

type Asked = {
  readonly period: Period
  /** Counts from 1. */
  readonly edition?: number
  readonly make: FileMaker
  /** Called with a stored file whose digest does not match; it is created again. */
  readonly onSpoilt: (file: KeptFile) => void
}

/**
 * The whole file of a UTC day or month. The first edition shows what was known when the period had
 * settled, whenever it is created; a later one follows a correction. Editions never change: one
 * whose digest does not match is created again.
 *
 * Throws `unknown_file` for a period that is not over or has not settled, for one without
 * observations, and for an edition that does not exist.
 */
export async function fileOf(store: FileStore, view: View, asked: Asked): Promise<KeptFile> {
  const { period, edition = 1, make, onSpoilt } = asked
  if (view.freshness.nowMs < settledMs(period)) throw tooEarly(period)
  const making = {
    ...{ period: period.name, edition, knownMs: settledMs(period) },
    make: makeOf(view, period, make),
  }
  const file = await store.find(period.name, edition)
  if (!file && edition > 1) {
    const first = await store.find(period.name, 1)
    throw noEdition(period.name, first?.editions ?? 1)
  }
  if (!file) return store.keep(making)
  if (await store.isWhole(file)) return file
  onSpoilt(file)
  return store.keep(making)
}

export async function* partsOf(store: FileStore, file: KeptFile): AsyncGenerator<Bytes> {
  for (let part = 0; ; part++) {
    const bytes = await store.part(file, part)
    if (!bytes) return
    yield bytes
  }
}

const makeOf =
  (view: View, period: Period, make: FileMaker): Make =>
  (past, put) =>
    make(past, thenView(view, past, period), period, put)

function thenView(view: View, { catalogue = null }: DayPast, period: Period): View {
  if (catalogue === null) return view
  const nowMs = settledMs(period)
  const memory = new Memory()
  memory.publish({ catalogue }, nowMs)
  return new View(memory.current, { ...view.freshness, nowMs }, view.limits)
}

export type CorrectionStore = {
  /** The periods before a day whose files may differ from what is known now, the earliest first. */
  doubtful(day: string, filesMax: number): Promise<readonly string[]>
  /**
   * Creates the next edition of a file, by what is known now and with the catalogue known at
   * `knownMs`; reports whether it differs from the newest, and stores nothing if it does not.
   */
  correct(making: Omit<Making, 'edition'>): Promise<boolean>
}

/** The number of files made again in one run: all that are stored. */
const CORRECTED_MAX = 2000

type Correcting = {
  /** The first day whose file is not looked at. */
  readonly before: string
  readonly makerOf: (period: Period) => FileMaker
}

/**
 * Creates a new edition of each file before a day that a correction changed. A corrected price may
 * have held on the following days too: these are checked until one is unchanged. Returns the number
 * of editions created.
 */
export async function correctFiles(
  store: CorrectionStore,
  view: View,
  { before, makerOf }: Correcting,
): Promise<number> {
  const waiting = [...(await store.doubtful(before, CORRECTED_MAX))]
  const seen = new Set<string>()
  let made = 0
  for (let name = waiting.shift(); name && seen.size < CORRECTED_MAX; name = waiting.shift()) {
    if (name >= before || seen.has(name)) continue
    seen.add(name)
    const period = periodOf(name)!
    const make = makeOf(view, period, makerOf(period))
    if (!(await store.correct({ period: name, make, knownMs: settledMs(period) }))) continue
    made += 1
    if (isDay(name)) waiting.unshift(dayText(period.endMs))
  }
  return made
}

const tooEarly = (period: Period): ServiceError => {
  const at = new Date(settledMs(period)).toISOString()
  return new ServiceError(
    'unknown_file',
    `the file of ${period.name} is created an hour after its end in UTC; retry after ${at}`,
    { available_at: at },
  )
}

const noEdition = (name: string, editions: number): ServiceError =>
  new ServiceError(
    'unknown_file',
    `the file of ${name} has ${editions === 1 ? 'one edition' : `${editions} editions`}; ` +
      `ask for edition ${editions} or an earlier one`,
  )
