import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Part, Sql } from '~/store/database.ts'
import type { Shard } from '~/store/distributed/shard.ts'

/** Observations that are valid for more days than this are also listed separately. */
const LONG_PRICE_DAYS = 32

export const LONG_PRICE_MS = LONG_PRICE_DAYS * DAY_MS

export const isLong = ({ effectiveMs, offer }: Observation): boolean =>
  (offer?.validUntilMs ?? 0) - effectiveMs > LONG_PRICE_MS

const COLUMNS = 'corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until'

/**
 * The long prices, to be written after FROM, before a name. Citus refuses the view of those of an
 * earlier time, whose corridor it cannot find, so there a corridor's are looked up one by one.
 */
export function longPrices(sql: Sql, { isDistributed, isThen, corridorId }: Shard) {
  if (!isDistributed || !isThen) return sql`long_prices`
  const columns = sql.unsafe(COLUMNS)
  return sql`(
    select l.* from (
      select ${columns} from public.long_prices where corridor_id = ${corridorId!}
      union all
      select ${columns} from public.withdrawals
      where corridor_id = ${corridorId!} and valid_until is not null
    ) l cross join lateral (
      select 1 from observations
      where id = l.id and corridor_id = ${corridorId!} and effective_from = l.effective_from
      limit 1
    ) known
  )`
}

/**
 * The statement, or a part of one, that keeps the long prices among observations (any relation with
 * their columns). A trigger does it too, for versions that do not.
 */
export const keepLong = (sql: Sql, observations: Part) => sql`
  insert into long_prices (${sql.unsafe(COLUMNS)})
  select ${sql.unsafe(COLUMNS)}
  from (select * from ${observations}) observations
  where valid_until > effective_from + make_interval(hours => ${LONG_PRICE_DAYS * 24})
  on conflict do nothing`
