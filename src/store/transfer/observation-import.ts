import { ServiceError } from '~/domain/errors.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Database, TransactionSql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { distributedWay } from '~/store/distributed/import-way.ts'
import { copyLine } from '~/store/encoding.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { type ImportWay, localWay, type Target } from '~/store/observation-target.ts'
import { isLong, keepLong } from '~/store/offer/long-prices.ts'
import { storedTerms } from '~/store/offer/offer-row.ts'
import { Offers } from '~/store/offer/offers.ts'
import { addToRollups } from '~/store/past/rollup-parts.ts'
import { type ObservedSeries, ProviderCorridors } from '~/store/provider-corridors.ts'
import { OWN_COLUMNS } from '~/store/recording/own-columns.ts'
import { type CopyIn, copyAll, copyIn } from './copy-in.ts'
import { firstLook } from './first-look.ts'
import { NewestKnown } from './newest-known.ts'
import { type CorridorSpans, RestatedSpans, recountRestated } from './restated-spans.ts'

const WRITE_ROWS_MAX = 1000
/** The most rows in one COPY: the server remembers each until its end, for foreign keys. */
const COPY_ROWS_MAX = 50_000
/** The number of rows that are looked at for the months that they need; fewer rows need none. */
const LOOK_ROWS = 10_000

type Source = {
  readonly database: Database
  readonly rows: AsyncIterable<readonly Observation[]>
  /** The way of their arrival; `import` if absent. */
  readonly via?: string
  /** Whether the months of the rows are created first. */
  readonly makesMonths?: boolean
  /** Receives the number of months created; fewer than the rows need if the table was too busy. */
  readonly onMonths?: (made: number) => void
}

/** The number of recorded rows, and of rows skipped because they existed already. */
export type Imported = { readonly inserted: number; readonly skipped: number }

/**
 * Records all of `rows`, in their order, in one transaction, and returns their number.
 *
 * Takes them in arrays of any size, holds one at a time (with `makesMonths` the first `LOOK_ROWS`
 * too), and asks for the next when the server is ready for it. When `rows` throws, or the server
 * refuses one, nothing is recorded and that error is thrown. Listeners are notified of the rows
 * that it added, or to load everything if there are many.
 */
export const importObservations = async (source: Source): Promise<number> =>
  (await imported(source, false)).inserted

/**
 * `importObservations` without rows that repeat a recorded or earlier one, which means an equal
 * provider, corridor, instant and price. A second import waits for the first, so that a file is
 * recorded once, however often it is imported.
 */
export const importNewObservations = (source: Source): Promise<Imported> => imported(source, true)

/** The first look is taken in a transaction, so that it ends when the database is closed. */
async function imported(source: Source, isCompared: boolean): Promise<Imported> {
  if (!source.makesMonths) return importedAll(source, isCompared)
  const look = await source.database.sql.begin(() => firstLook(source.rows, isLookedAt))
  try {
    const first = look.first.flat()
    const isMany = first.length >= LOOK_ROWS
    const made = isMany ? await makeEarlierMonths(source.database, startMs(first)) : 0
    source.onMonths?.(made ?? 0)
    return await importedAll({ ...source, rows: look.all }, isCompared)
  } finally {
    await look.close()
  }
}

const isLookedAt = (read: readonly (readonly Observation[])[]): boolean =>
  read.reduce((rows, { length }) => rows + length, 0) >= LOOK_ROWS

/** The time from which nearly all rows take effect: a few that are much older need no months. */
function startMs(rows: readonly Observation[]): number {
  const times = rows.map(({ effectiveMs }) => effectiveMs).sort((a, b) => a - b)
  return times[Math.floor(times.length / 100)]!
}

async function importedAll({ database, rows, via = 'import' }: Source, isCompared: boolean) {
  const { sql } = database
  const way = (await isDistributed(sql)) ? distributedWay(sql) : localWay(sql)
  return sql.begin(async (tx): Promise<Imported> => {
    if (isCompared) await way.compared.prepare(tx)
    const own = await way.prepare(tx)
    const into = { corridors: new ProviderCorridors(database), offers: new Offers(database) }
    const newest = new NewestKnown(sql)
    const copy = new ChunkedCopy(tx, { ...into, way, newest, via, isCompared })
    await copyAll(copy, rows, (batch) => copy.add(batch))
    const { inserted, skipped } = copy
    // At the end, so that rows that others may want are locked briefly and in the common order.
    if (copy.hasLong) await tx`${keepLong(sql, own.relation())}`
    await tx`${addToRollups(sql, own.relation())}`
    await recountRestated(sql, tx, { spans: copy.restating, firstId: own.firstId })
    if (inserted > 0) await tx`${way.notification(database, own.relation(), inserted)}`
    return { inserted, skipped }
  })
}

type Into = {
  readonly corridors: ProviderCorridors
  readonly offers: Offers
  readonly way: ImportWay
  /** The newest instants, for finding repeats. */
  readonly newest: NewestKnown
  readonly via: string
  /** Says whether repeats are skipped. */
  readonly isCompared: boolean
}

/**
 * One COPY after another, so that the server's memory is bounded as ours is.
 *
 * Rows newer than all others of their series cannot be repeats and are recorded directly; a chunk
 * is compared from the first other row on.
 */
class ChunkedCopy {
  inserted = 0
  skipped = 0
  /** Says whether some of the rows are long prices. */
  hasLong = false
  #current: CopyIn | null = null
  #target: Target
  #currentRows = 0
  readonly #spans = new RestatedSpans()

  constructor(
    private readonly tx: TransactionSql,
    private readonly into: Into,
  ) {
    this.#target = into.way.recorded
  }

  /** The spans of corridors in which a row may take the place of another. */
  get restating(): CorridorSpans {
    return this.#spans.restating
  }

  async add(rows: readonly Observation[]): Promise<void> {
    for (let start = 0; start < rows.length; start += WRITE_ROWS_MAX)
      await this.#write(rows.slice(start, start + WRITE_ROWS_MAX))
  }

  async finish(): Promise<void> {
    const current = this.#current
    const rows = this.#currentRows
    this.#current = null
    this.#currentRows = 0
    if (!current) return
    await current.finish()
    const skipped = rows - (await this.#target.settle(this.tx, rows))
    this.inserted += rows - skipped
    this.skipped += skipped
  }

  async abort(error: Error): Promise<void> {
    await this.#current?.abort(error)
  }

  async #write(rows: readonly Observation[]): Promise<void> {
    this.hasLong ||= rows.some(isLong)
    const series = await this.into.corridors.seriesOf(rows)
    const offerIds = await this.#offersOf(rows, series)
    const lines = rows
      .map((row, i) => lineOf(row, series[i]!, offerIds[i]!, this.into.via))
      .join('')
    const places = () =>
      series.map(({ id, corridorId }, i) => ({ series: id, corridorId, offer: offerIds[i]! }))
    const older = await this.into.newest.older(rows, places())
    this.#spans.note({ rows, series, older })
    const areNew = older.length === 0 || !this.into.isCompared
    if (!areNew && this.#target === this.into.way.recorded) await this.finish()
    if (!this.#current) {
      this.#target = areNew ? this.into.way.recorded : this.into.way.compared
      this.#current = await copyIn(this.tx, this.#target.copy)
    }
    await this.#current.write(lines)
    this.#currentRows += rows.length
    if (this.#currentRows >= COPY_ROWS_MAX) await this.finish()
  }

  async #offersOf(rows: readonly Observation[], series: readonly ObservedSeries[]) {
    const { ids, faults } = await this.into.offers.idsOf(rows, series)
    if (faults)
      throw new ServiceError('invalid_rows', `nothing was imported: ${faults[0]!.error}`, {
        errors: faults,
      })
    return ids
  }
}

const lineOf = (row: Observation, series: ObservedSeries, offerId: number, via: string): string =>
  copyLine([
    series.corridorId,
    series.id,
    ...OWN_COLUMNS.map(({ of }) => of(row)),
    offerId,
    ...storedTerms(row.offer),
    via,
  ])
