import type { Observation } from '~/domain/observation.ts'
import type { Sql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

/** The newest instant of each series, among the rows recorded before and those read since. */
export class NewestKnown {
  readonly #newestMs = new Map<number, number>()

  constructor(private readonly sql: Sql) {}

  /**
   * Whether each of `rows` is newer than all before it in its series, so that it cannot be a
   * repeat.
   */
  async areNewer(
    rows: readonly Observation[],
    series: readonly ObservedSeries[],
  ): Promise<boolean> {
    await this.#learn(series)
    let areNewer = true
    rows.forEach(({ effectiveMs }, i) => {
      const { id } = series[i]!
      if (effectiveMs > this.#newestMs.get(id)!) this.#newestMs.set(id, effectiveMs)
      else areNewer = false
    })
    return areNewer
  }

  async #learn(series: readonly ObservedSeries[]): Promise<void> {
    const unknown = series.map(({ id }) => id).filter((id) => !this.#newestMs.has(id))
    if (unknown.length === 0) return
    const rows = await this.sql<{ id: number; newest_ms: string | null }[]>`
      select id, (
        select extract(epoch from effective_from) * 1000 from observations
        where provider_corridor_id = wanted.id order by effective_from desc, id desc limit 1
      ) as newest_ms
      from unnest(${arrayLiteral([...new Set(unknown)])}::int[]) as wanted (id)`
    for (const { id, newest_ms } of rows)
      this.#newestMs.set(id, newest_ms === null ? Number.NEGATIVE_INFINITY : Number(newest_ms))
  }
}
