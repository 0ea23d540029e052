import type { Part, Sql } from '~/store/database.ts'
import { onShard, type Shard } from '~/store/distributed/shard.ts'

/** The ids of every offer of the series `p`, as `k.offer_id`; 0 is the plain one. */
export const everyOffer = (sql: Sql, shard: Shard) => sql`lateral (
  select 0 as offer_id
  union all
  select id from offers where provider_corridor_id = p.id ${onShard(sql, shard)}
) k`

/** The rows of one offer: of `k` in the series `p`. */
export const ofOffer = (sql: Sql, shard: Shard) =>
  sql`provider_corridor_id = p.id ${onShard(sql, shard)} and offer_id = k.offer_id`

const newestFirst = (sql: Sql) => sql`order by effective_from desc, id desc limit 1`

type Searched = { readonly columns: Part; readonly where: Part }

/**
 * The newest of some rows of `observations`. At an earlier time it is the newer one of two: of the
 * rows that still exist, which the months have in order, and of those withdrawn since.
 */
export function newest(sql: Sql, shard: Shard, { columns, where }: Searched): Part {
  const newestIn = (table: string) =>
    sql`select ${columns} from ${sql(table)} where ${where} ${newestFirst(sql)}`
  if (!shard.isThen || shard.isDistributed) return newestIn('observations')
  return sql`
    select * from (
      (${newestIn('kept_observations')}) union all (${newestIn('withdrawn_observations')})
    ) either ${newestFirst(sql)}`
}

type HeldPart = Shard & {
  /** A condition on the time of rows. */
  readonly within: Part
}

/** The newest row of the offer `k` in `p` that never expires. */
export const endless = (sql: Sql, part: HeldPart) => sql`lateral (
  ${newest(sql, part, {
    columns: sql`id, effective_from`,
    where: sql`${ofOffer(sql, part)} and valid_until is null and ${part.within}`,
  })}
) endless`
