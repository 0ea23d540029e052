import type { Catalogue } from '~/domain/provider.ts'
import type { Database, Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { catalogueIn, firstRecorded } from '~/store/known/known-tables.ts'
import { onOwnConnection } from '~/store/own-connection.ts'
import { doubtfulPeriods } from './doubtful.ts'
import { type FilePast, filePast } from './file-past.ts'
import { earlierFiles, type FileKey, type FileRow, fileColumns, keptFiles } from './kept-files.ts'
import { Parts } from './parts.ts'

/** The maximum number of files of days, which is over five years, and of files of months. */
const FILES_MAX = 2000
/** Editions in a list of files. */
const LISTED_MAX = 10_000
/** The class of advisory locks under which a process makes a file. */
const MAKING = 0x66696c65

type Bytes = Uint8Array<ArrayBuffer>
type Make = (past: FilePast, put: (bytes: Bytes) => Promise<void>) => Promise<number>

export function createFileStore(database: Database) {
  const { sql } = database
  return {
    find: (period: string, edition: number) => found(sql, period, edition),
    firstMs: () => filePast(database, null).firstMs(),
    list: () => sql<FileRow[]>`
      select ${fileColumns(sql)} from ${keptFiles(sql)} kept
      order by period desc, edition limit ${LISTED_MAX}`,
    part: (file: FileKey, part: number) => partOf(sql, file, part),
    isWhole: (file: WholeKey) => isWhole(sql, file),
    /** Creates a file on an extra connection, so that nothing waits behind its statements. */
    keep: (making: Making): Promise<FoundFile> => alone(database, (own) => kept(own, making)),
    correct: (making: Omit<Making, 'edition'>): Promise<boolean> =>
      alone(database, (own) => corrected(own, making)),
    async missing(periods: readonly string[]): Promise<string[]> {
      const rows = await sql<{ period: string }[]>`
        select period from ${keptFiles(sql)} kept
        where edition = 1 and period = any(${arrayLiteral(periods)}::text[])`
      const there = new Set(rows.map(({ period }) => period))
      return periods.filter((period) => !there.has(period))
    },
    doubtful: (day: string, filesMax: number) => doubtfulPeriods(sql, day, filesMax),
  }
}

type Making = FileKey & { readonly make: Make; readonly knownMs: number }

/** Runs work in a transaction on a connection of its own. */
const alone = <T>(database: Database, work: (own: Database) => Promise<T>): Promise<T> =>
  onOwnConnection(
    database.sql,
    (own) => own.begin((tx) => work({ ...database, sql: tx as unknown as Sql })) as Promise<T>,
  )

/** Waits for the process that makes the file. */
const locked = (sql: Sql, period: string) =>
  sql`select pg_advisory_xact_lock(${MAKING}, hashtext(${period}))`

async function kept(database: Database, { edition, ...making }: Making): Promise<FoundFile> {
  const { sql } = database
  const { period, knownMs } = making
  await locked(sql, period)
  const earlier = await found(sql, period, edition)
  if (earlier && (await isWhole(sql, earlier))) return earlier
  const catalogue = await catalogueAt(sql, knownMs)
  const readMs = edition > 1 && earlier ? earlier.madeMs : knownMs
  if (catalogue) await readAsOf(sql, readMs)
  if (earlier) await drop(sql, earlier)
  const known = catalogue ? { ...database, knownMs: readMs } : database
  const file = await written(known, { ...making, edition, catalogue })
  await noted(sql, { ...file, madeMs: earlier?.madeMs ?? null })
  await dropOldest(sql, period)
  return (await found(sql, period, edition))!
}

type WholeKey = Omit<FileRow, 'madeMs'>

async function isWhole(sql: Sql, file: WholeKey): Promise<boolean> {
  const hash = new Bun.CryptoHasher('sha256')
  for (let part = 0; ; part++) {
    const bytes = await partOf(sql, file, part)
    if (!bytes) return hash.digest('hex') === file.digest
    hash.update(bytes)
  }
}

/**
 * Creates the next edition of a file by what is known now, with the catalogue of the first; returns
 * whether it differs from the newest, and stores nothing if it does not.
 */
async function corrected(database: Database, making: Omit<Making, 'edition'>): Promise<boolean> {
  const { sql } = database
  const { period, knownMs } = making
  await locked(sql, period)
  const newest = await newestOf(sql, period)
  if (!newest) return false
  const [{ now_ms: nowMs }] = await sql<[{ now_ms: number }]>`
    select extract(epoch from recording_time())::float8 * 1000 as now_ms`
  const catalogue = await catalogueAt(sql, knownMs)
  if (catalogue) await readAsOf(sql, nowMs)
  const known = catalogue ? { ...database, knownMs: nowMs } : database
  const file = await written(known, { ...making, edition: newest.edition + 1, catalogue })
  if (file.digest === newest.digest) {
    await drop(sql, file)
    return false
  }
  await noted(sql, { ...file, madeMs: nowMs })
  return true
}

type Writing = Omit<Making, 'knownMs'> & { readonly catalogue: Catalogue | null }

/** Writes the parts of a file from the data that the transaction reads. */
async function written(database: Database, { period, edition, make, catalogue }: Writing) {
  const parts = new Parts(database.sql, { period, edition })
  const rows = await make(filePast(database, catalogue), (bytes) => parts.put(bytes))
  return { period, edition, rows, ...(await parts.end()) }
}

/** Records a file whose parts are written; without a time, as created now. */
const noted = (sql: Sql, file: Omit<FileRow, 'madeMs'> & { readonly madeMs: number | null }) => sql`
  insert into files (period, edition, rows, bytes, digest, made_at)
  values (${file.period}, ${file.edition}, ${file.rows}, ${file.bytes}, ${file.digest},
    coalesce(${file.madeMs === null ? null : instantText(file.madeMs)}::timestamptz, now()))`

async function drop(sql: Sql, { period, edition }: FileKey): Promise<void> {
  await sql`delete from file_parts where period = ${period} and edition = ${edition}`
  await sql`delete from files where period = ${period} and edition = ${edition}`
  if (period.length !== DAY_LENGTH) return
  await sql`delete from day_file_editions where day = ${period} and edition = ${edition}`
  if (edition === 1) await sql`delete from day_files where day = ${period}`
}

const DAY_LENGTH = 'YYYY-MM-DD'.length

/** Keeps the newest files of a kind, of which one of this period is. */
async function dropOldest(sql: Sql, { length }: string): Promise<void> {
  const gone = await sql<FileKey[]>`
    select period, edition from ${keptFiles(sql)} kept where period in (
      select period from ${keptFiles(sql)} first
      where edition = 1 and length(period) = ${length}
      order by made_at desc, period desc offset ${FILES_MAX}
    )`
  for (const file of gone) await drop(sql, file)
}

type FoundFile = FileRow & { readonly editions: number }

/** An edition, and how many there are of its period. */
async function found(sql: Sql, period: string, edition: number): Promise<FoundFile | null> {
  const files = await editionsOf(sql, period)
  const file = files.find((one) => one.edition === edition)
  return file ? { ...file, editions: files.length } : null
}

const newestOf = async (sql: Sql, period: string) => (await editionsOf(sql, period)).at(-1) ?? null

const editionsOf = (sql: Sql, period: string) => sql<FileRow[]>`
  select ${fileColumns(sql)} from ${keptFiles(sql)} kept where period = ${period} order by edition`

/**
 * Makes the transaction read the data known at a time, and returns the catalogue of then; null,
 * with no change, if nothing had been recorded by then.
 */
async function catalogueAt(sql: Sql, knownMs: number): Promise<Catalogue | null> {
  const firstMs = await firstRecorded(sql)
  if (firstMs === null || knownMs < firstMs) return null
  await readAsOf(sql, knownMs)
  return catalogueIn(sql)
}

const readAsOf = (sql: Sql, knownMs: number) =>
  sql`select set_config('search_path', 'known, public', true),
    set_config('corridor.known_at', ${instantText(knownMs)}, true)`

async function partOf(sql: Sql, file: FileKey, part: number): Promise<Bytes | null> {
  const { period, edition } = file
  const [row] = await sql<{ content: Buffer }[]>`
    select content from file_parts
    where period = ${period} and edition = ${edition} and part = ${part}
    union all
    select content from ${earlierFiles(sql)} earlier
    where period = ${period} and edition = ${edition} and ${part} = 0
    limit 1`
  return row ? new Uint8Array(row.content) : null
}
