import type { PendingQuery, Row } from 'postgres'
import { DAY_MS } from '~/domain/duration.ts'
import type { Observation } from '~/domain/observation.ts'
import type { Sql } from '~/store/database.ts'

/** Observations that are valid for longer than so many days are kept aside too. */
const LONG_PRICE_DAYS = 32

export const LONG_PRICE_MS = LONG_PRICE_DAYS * DAY_MS

export const isLong = ({ effectiveMs, offer }: Observation): boolean =>
  (offer?.validUntilMs ?? 0) - effectiveMs > LONG_PRICE_MS

/**
 * The statement, or a part of one, that keeps the long prices among observations (any relation with
 * their columns). A trigger does it too, for versions that do not.
 */
export const keepLong = (sql: Sql, observations: PendingQuery<Row[]>) => sql`
  insert into long_prices
    (corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until)
  select corridor_id, provider_corridor_id, offer_id, id, effective_from, valid_until
  from (select * from ${observations}) observations
  where valid_until > effective_from + make_interval(hours => ${LONG_PRICE_DAYS * 24})
  on conflict do nothing`
