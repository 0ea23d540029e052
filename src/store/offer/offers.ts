import type { Corridor } from '~/domain/corridor.ts'
import type { RowFault } from '~/domain/observation.ts'
import { type Offer, offerKey, PLAIN } from '~/domain/offer/terms.ts'
import type { Database } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'
import { rerun } from '~/store/rerun.ts'
import { countedOffers, makeOffers, type OfferName, type Wanted } from './made-offers.ts'

const REMEMBERED_MAX = 50_000
const PLAIN_ID = 0

/** A row that may be of an offer that the database does not know yet. */
type Offering = Corridor & { readonly providerId: string; readonly offer: Offer | null }

/** The id of each row's offer, or else why some of the rows cannot have one. */
type Found =
  | { readonly ids: readonly number[]; readonly faults: null }
  | { readonly ids: null; readonly faults: readonly RowFault[] }

/**
 * The ids of offers, which are created when a row first needs them.
 *
 * They are created in transactions of their own, as series are, so remembered ids are always
 * committed.
 */
export class Offers {
  #remembered = new Map<string, number>()

  constructor(private readonly database: Database) {}

  /** The offers of `rows`, in their order; `series` are those of the rows. Errors create none. */
  async idsOf(rows: readonly Offering[], series: readonly ObservedSeries[]): Promise<Found> {
    if (rows.every(({ offer }) => offer === null))
      return { ids: rows.map(() => PLAIN_ID), faults: null }
    const ids = new Map<string, number>()
    const missing = new Map<string, Wanted>()
    const places = rows.map((row, index) => {
      const { id, corridorId } = series[index]!
      const key = offerKey(row.offer ?? PLAIN)
      const place = placeOf(id, key)
      const known = key === '' ? PLAIN_ID : this.#remembered.get(place)
      if (known !== undefined) ids.set(place, known)
      else if (!missing.has(place))
        missing.set(place, { ...row, index, series: id, corridorId, key })
      return place
    })
    const faults = missing.size > 0 ? await this.#learn(missing, ids) : []
    if (faults.length > 0) return { ids: null, faults }
    return { ids: places.map((place) => ids.get(place)!), faults: null }
  }

  /** Forgets every offer, after the database turned out to lack one, perhaps by a failover. */
  forget(): void {
    this.#remembered = new Map()
  }

  /** Adds the ids of missing offers to `ids`; if some may not be created, returns why. */
  async #learn(
    missing: ReadonlyMap<string, Wanted>,
    ids: Map<string, number>,
  ): Promise<readonly RowFault[]> {
    const { sql } = this.database
    if (this.#remembered.size > REMEMBERED_MAX) this.forget()
    const note = (found: readonly OfferName[]) => {
      for (const { id, series, key } of found) {
        this.#remembered.set(placeOf(series, key), id)
        ids.set(placeOf(series, key), id)
      }
    }
    const place = { isDistributed: await isDistributed(sql) }
    note(await countedOffers(sql, [...missing.values()], place))
    const unknown = [...missing].filter(([place]) => !ids.has(place)).map(([, wanted]) => wanted)
    if (unknown.length === 0) return []
    const { made, faults } = await rerun(() =>
      sql.begin((tx) => makeOffers(sql, tx, unknown, place)),
    )
    note(made)
    return faults
  }
}

const placeOf = (series: number, key: string): string => `${series} ${key}`
