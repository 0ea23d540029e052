import type { PruneLimit } from '~/domain/observation.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import type { ObservedSeries } from '~/store/provider-corridors.ts'

/** Retention on workers: outside of whole months by series, each of which one worker has whole. */
export function distributedRetention({ sql }: Database) {
  return {
    /** Series with more than one observation from before; all of a single one may be needed. */
    async outdated(beforeMs: number) {
      const rows = await sql<{ id: number; corridor_id: number }[]>`
        select p.id, p.corridor_id from provider_corridors p
        where 1 < (
          select count(*) from (
            select 1 from observations o
            where o.corridor_id = p.corridor_id and o.provider_corridor_id = p.id
              and o.effective_from < ${instantText(beforeMs)}::timestamptz
            limit 2
          ) two
        ) order by p.corridor_id, p.id`
      return rows.map((row): ObservedSeries => ({ id: row.id, corridorId: row.corridor_id }))
    },
    async count(seriesId: number, beforeMs: number) {
      const corridorId = await corridorOf(seriesId)
      const before = instantText(beforeMs)
      const [kept] = await sql<[{ ids: string[] }]>`
        select array(
          select kept_placed_observations(${corridorId}, ${seriesId}, ${before}::timestamptz)
        ) as ids`
      const [row] = await sql<[{ count: string }]>`
        select count(*) as count from observations
        where corridor_id = ${corridorId} and provider_corridor_id = ${seriesId}
          and effective_from < ${before}::timestamptz
          and id <> all(${`{${kept.ids.join()}}`}::bigint[])`
      return Number(row.count)
    },
    async prune(seriesId: number, { beforeMs, rowsMax }: PruneLimit) {
      const corridorId = await corridorOf(seriesId)
      return sql.begin(async (tx) => {
        const [row] = await tx<[{ count: number }]>`
          select prune_placed_observations(
            ${corridorId}, ${seriesId}, ${instantText(beforeMs)}::timestamptz, ${rowsMax}
          ) as count`
        return row.count
      })
    },
  }

  async function corridorOf(seriesId: number): Promise<number> {
    const [row] = await sql<{ corridor_id: number }[]>`
      select corridor_id from provider_corridors where id = ${seriesId}`
    return row!.corridor_id
  }
}
