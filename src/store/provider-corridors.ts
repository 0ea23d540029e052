import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { Database } from './database.ts'
import { arrayLiteral } from './encoding.ts'

type SeriesName = Corridor & { readonly providerId: string }

export type ObservedSeries = { readonly id: number; readonly corridorId: number }

/**
 * The ids of the pairs of a provider and a corridor that it has ever quoted.
 *
 * Rows are created in transactions of their own and never deleted, so remembered ids are always
 * committed, and no request waits for an import that is the first to quote a pair. A row whose
 * observations were then not recorded means nothing to any reader.
 */
export class ProviderCorridors {
  readonly #series = new Map<string, ObservedSeries>()

  constructor(private readonly database: Database) {}

  /** The series of `names`, in their order. Throws when a currency or provider does not exist. */
  async seriesOf(names: readonly SeriesName[]): Promise<ObservedSeries[]> {
    const missing = this.#missing(names)
    if (missing.length > 0) await this.#learn(missing)
    return names.map((name) => this.#series.get(keyOf(name))!)
  }

  /** Forgets every row, after the database turned out to lack one, perhaps by a failover. */
  forget(): void {
    this.#series.clear()
  }

  #missing(names: readonly SeriesName[]): SeriesName[] {
    const missing = new Map<string, SeriesName>()
    for (const name of names) {
      const key = keyOf(name)
      if (!this.#series.has(key)) missing.set(key, name)
    }
    return [...missing.values()]
  }

  async #learn(names: readonly SeriesName[]): Promise<void> {
    await this.#find(names)
    const unknown = this.#missing(names)
    if (unknown.length === 0) return
    await this.#create(unknown)
    await this.#find(unknown)
    const lost = this.#missing(unknown)
    if (lost.length > 0) throw new Error(`${keyOf(lost[0]!)} neither exists nor can be created`)
  }

  async #find(names: readonly SeriesName[]): Promise<void> {
    const corridors = await this.#corridorsOf(names)
    if (corridors.size === 0) return
    const rows = await this.database.sql<(ObservedSeries & { readonly providerId: string })[]>`
      select id, corridor_id as "corridorId", provider_id as "providerId" from provider_corridors
      where corridor_id = any(${arrayLiteral([...corridors.keys()])}::int[])
        and provider_id = any(${arrayLiteral([...new Set(names.map(providerOf))])}::text[])`
    for (const { id, corridorId, providerId } of rows)
      this.#series.set(keyOf({ ...corridors.get(corridorId)!, providerId }), { id, corridorId })
  }

  /** The corridors of `names` by id, as far as they exist. */
  async #corridorsOf(names: readonly SeriesName[]): Promise<ReadonlyMap<number, Corridor>> {
    const rows = await this.database.sql<(Corridor & { readonly id: number })[]>`
      select distinct c.id, c.source as "from", c.target as "to" from ${this.#wanted(names)}
      join corridors c on c.source = wanted.source and c.target = wanted.target`
    return new Map(rows.map(({ id, from, to }) => [id, { from, to }]))
  }

  /**
   * Creates rows in one order everywhere, and waits for another process that is creating one of
   * them. If observations are on several servers, a corridor is created on all of them, and a
   * series only on its own.
   */
  async #create(names: readonly SeriesName[]): Promise<void> {
    const { sql } = this.database
    const known = new Set([...(await this.#corridorsOf(names)).values()].map(corridorKey))
    const unknown = names.filter((name) => !known.has(corridorKey(name)))
    if (unknown.length > 0)
      await sql`
        insert into corridors (source, target)
        select distinct source, target from ${this.#wanted(unknown)} order by source, target
        on conflict do nothing`
    await sql`
      insert into provider_corridors (corridor_id, provider_id)
      select c.id, wanted.provider_id from ${this.#wanted(names)}
      join corridors c on c.source = wanted.source and c.target = wanted.target
      order by c.id, wanted.provider_id
      on conflict do nothing`
  }

  #wanted(names: readonly SeriesName[]) {
    return this.database.sql`unnest(
      ${arrayLiteral(names.map(providerOf))}::text[],
      ${arrayLiteral(names.map(({ from }) => from))}::text[],
      ${arrayLiteral(names.map(({ to }) => to))}::text[]
    ) as wanted (provider_id, source, target)`
  }
}

const providerOf = ({ providerId }: SeriesName): string => providerId

const keyOf = ({ providerId, from, to }: SeriesName): string => `${from}/${to}/${providerId}`
