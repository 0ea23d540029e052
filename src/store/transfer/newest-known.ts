import type { Observation } from '~/domain/observation.ts'
import type { Sql } from '~/store/database.ts'
import { isDistributed } from '~/store/distributed/distribution.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'

/** An offer of a series, by their ids. */
type Place = { readonly series: number; readonly corridorId: number; readonly offer: number }

type Named = Omit<Place, 'corridorId'>

/** The newest instant of each offer, among the rows recorded before and those read since. */
export class NewestKnown {
  readonly #newestMs = new Map<string | number, number>()

  constructor(private readonly sql: Sql) {}

  /** The indexes of rows that are not newer than all before them of their offer: maybe repeats. */
  async older(rows: readonly Observation[], places: readonly Place[]): Promise<number[]> {
    await this.#learn(places, Math.min(...rows.map(({ effectiveMs }) => effectiveMs)))
    return rows.flatMap(({ effectiveMs }, i) => {
      const name = nameOf(places[i]!)
      if (effectiveMs <= this.#newestMs.get(name)!) return [i]
      this.#newestMs.set(name, effectiveMs)
      return []
    })
  }

  /** Reads the newest rows, except those that are older than all rows to come. */
  async #learn(places: readonly Place[], sinceMs: number): Promise<void> {
    const unknown = new Map<string | number, Place>()
    for (const place of places)
      if (!this.#newestMs.has(nameOf(place))) unknown.set(nameOf(place), place)
    if (unknown.size === 0) return
    const asked = [...unknown.values()]
    const { sql } = this
    const onShard = (await isDistributed(sql)) ? sql`and corridor_id = p.corridor_id` : sql``
    const newest = (isEnding: boolean) => sql`(
      select effective_from from observations
      where provider_corridor_id = p.id and offer_id = offer ${onShard}
        and valid_until is ${isEnding ? sql`not null` : sql`null`}
        and effective_from >= ${instantText(sinceMs)}::timestamptz
      order by effective_from desc, id desc limit 1
    )`
    const rows = await sql<(Named & { newestMs: number })[]>`
      select series, offer, (extract(epoch from
        coalesce(greatest(${newest(false)}, ${newest(true)}), '-infinity')) * 1000)::float8
        as "newestMs"
      from (
        select unnest(${arrayLiteral(asked.map(({ series }) => series))}::int[]) as series,
          unnest(${arrayLiteral(asked.map(({ corridorId }) => corridorId))}::int[]) as corridor,
          unnest(${arrayLiteral(asked.map(({ offer }) => offer))}::int[]) as offer
      ) asked
      join provider_corridors p on p.id = series and p.corridor_id = corridor`
    for (const { newestMs, ...place } of rows) this.#newestMs.set(nameOf(place), newestMs)
  }
}

/** A plain offer is named by its series alone, as most rows are of one. */
const nameOf = ({ series, offer }: Named): string | number =>
  offer === 0 ? series : `${series} ${offer}`
