import type { TransactionSql } from 'postgres'
import type { Observation } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { copyLine, instantText, storedEvidence } from '~/store/encoding.ts'
import { makeEarlierMonths } from '~/store/month/earlier.ts'
import { announcedIds, CHANGE_ROWS_MAX, loggedNews } from '~/store/news-channel.ts'
import { COMPARED, RECORDED, type Target } from '~/store/observation-target.ts'
import { isLong, keepLong } from '~/store/offer/long-prices.ts'
import { storedTerms } from '~/store/offer/offer-row.ts'
import { Offers } from '~/store/offer/offers.ts'
import { addToRollups } from '~/store/past/rollup-store.ts'
import { type ObservedSeries, ProviderCorridors } from '~/store/provider-corridors.ts'
import { type CopyIn, copyAll, copyIn } from './copy-in.ts'
import { firstLook } from './first-look.ts'
import { NewestKnown } from './newest-known.ts'

/** How many rows are written at once. */
const WRITE_ROWS_MAX = 1000
/**
 * The most rows in one COPY, since the server remembers each until its end to check the foreign
 * keys.
 */
const COPY_ROWS_MAX = 50_000
/** How many rows are looked at for the months that they need; fewer rows need none. */
const LOOK_ROWS = 10_000

type Source = {
  readonly database: Database
  readonly rows: AsyncIterable<readonly Observation[]>
}

/** How many rows were recorded, and how many were skipped because they were there already. */
export type Imported = { readonly inserted: number; readonly skipped: number }

/**
 * Records all of `rows`, in their order, in one transaction, and answers how many.
 *
 * Takes them in arrays of any size, holds the first `LOOK_ROWS` to make the months that they need
 * and then one array at a time, and asks for the next when the server is ready for it. When `rows`
 * throws, or the server refuses one, nothing is recorded and that error is thrown. Listeners are
 * told which rows it added, or to load everything where there are many.
 */
export const importObservations = async (source: Source): Promise<number> =>
  (await imported(source, null)).inserted

/**
 * `importObservations` without rows that repeat a recorded or earlier one, which means an equal
 * provider, corridor, instant and price. A second import waits for the first, so that a file is
 * recorded once, however often it is imported.
 */
export const importNewObservations = (source: Source): Promise<Imported> =>
  imported(source, new NewestKnown(source.database.sql))

async function imported(source: Source, newest: NewestKnown | null): Promise<Imported> {
  const look = await firstLook(source.rows, LOOK_ROWS)
  try {
    if (look.first.length >= LOOK_ROWS)
      await makeEarlierMonths(source.database, startMs(look.first))
    return await importedAll({ ...source, rows: look.all }, newest)
  } finally {
    await look.close()
  }
}

/** From when on nearly all rows take effect: a few that are much older need no months. */
function startMs(rows: readonly Observation[]): number {
  const times = rows.map(({ effectiveMs }) => effectiveMs).sort((a, b) => a - b)
  return times[Math.floor(times.length / 100)]!
}

function importedAll({ database, rows }: Source, newest: NewestKnown | null): Promise<Imported> {
  return database.sql.begin(async (tx) => {
    if (newest) await COMPARED.prepare(tx)
    const lastId = await lastObservationId(tx)
    const into = { corridors: new ProviderCorridors(database), offers: new Offers(database) }
    const copy = new ChunkedCopy(tx, into, newest)
    await copyAll(copy, rows, (batch) => copy.add(batch))
    const { inserted, skipped } = copy
    // At the end, so that rows that others may want are locked briefly and in everybody's order.
    const own = database.sql`observations
      where id >= ${lastId} and xmin = pg_current_xact_id()::xid`
    if (copy.hasLong) await tx`${keepLong(database.sql, own)}`
    await tx`${addToRollups(database.sql, own)}`
    if (inserted > CHANGE_ROWS_MAX) await tx`${loggedNews(database, 'observations')}`
    else if (inserted > 0)
      await tx`${announcedIds(database, 'observations', { added: own, atMs: null })}`
    return { inserted, skipped }
  })
}

async function lastObservationId(tx: TransactionSql): Promise<number> {
  const [row] = await tx<[{ id: string }]>`select last_value as id from observations_id_seq`
  return Number(row.id)
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
  /** Whether some of the rows are long prices. */
  hasLong = false
  #current: CopyIn | null = null
  #into: Target = RECORDED
  #currentRows = 0

  constructor(
    private readonly tx: TransactionSql,
    private readonly into: { corridors: ProviderCorridors; offers: Offers },
    /** The newest instants, for skipping repeats; null where every row is recorded. */
    private readonly newest: NewestKnown | null,
  ) {}

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
    const skipped = rows - (await this.#into.settle(this.tx, rows))
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
    const lines = rows.map((row, i) => lineOf(row, series[i]!, offerIds[i]!)).join('')
    const places = () => series.map(({ id }, i) => ({ series: id, offer: offerIds[i]! }))
    const areNew = this.newest === null || (await this.newest.areNewer(rows, places()))
    if (!areNew && this.#into === RECORDED) await this.finish()
    if (!this.#current) {
      this.#into = areNew ? RECORDED : COMPARED
      this.#current = await copyIn(this.tx, this.#into.copy)
    }
    await this.#current.write(lines)
    this.#currentRows += rows.length
    if (this.#currentRows >= COPY_ROWS_MAX) await this.finish()
  }

  async #offersOf(rows: readonly Observation[], series: readonly ObservedSeries[]) {
    const { ids, faults } = await this.into.offers.idsOf(rows, series)
    if (faults) throw new Error(`nothing was imported: ${faults[0]!.error}`)
    return ids
  }
}

const lineOf = (row: Observation, series: ObservedSeries, offerId: number): string =>
  copyLine([
    instantText(row.effectiveMs),
    series.corridorId,
    series.id,
    row.rateType,
    row.rate,
    row.fee,
    row.feeCurrency,
    row.notes,
    storedEvidence(row.evidence),
    offerId,
    ...storedTerms(row.offer),
  ])
