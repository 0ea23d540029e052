import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '~/store/database.ts'

/** A part of a SQL statement. */
type Part = PendingQuery<Row[]>

/** The ids of every offer of the series `p`, as `k.offer_id`; 0 is the plain one. */
export const everyOffer = (sql: Sql) => sql`lateral (
  select 0 as offer_id union all select id from offers where provider_corridor_id = p.id
) k`

/** The rows of one offer: of `k` in the series `p`. */
export const ofOffer = (sql: Sql) => sql`provider_corridor_id = p.id and offer_id = k.offer_id`

const newestFirst = (sql: Sql) => sql`order by effective_from desc, id desc limit 1`

/** The newest row of the offer `k` in `p` that never runs out, within `upTo`, a condition. */
export const endless = (sql: Sql, upTo: Part) => sql`lateral (
  select id, effective_from, valid_until from observations
  where ${ofOffer(sql)} and valid_until is null and ${upTo} ${newestFirst(sql)}
) endless`

/**
 * The observation of the offer `k` in the series `p` that held: the newest one within `upTo`, a
 * condition on its time, that was still valid at `at`. As `o`; no row when there was none.
 *
 * Two probes of indexes that end at the row: one for the newest that never runs out, and one for
 * newer ones that do.
 */
export const held = (sql: Sql, { upTo, at }: { upTo: Part; at: Part }) => sql`lateral (
  select coalesce(ending.id, endless.id) as id,
    coalesce(ending.effective_from, endless.effective_from) as effective_from
  from (select) one
  left join ${endless(sql, upTo)} on true
  left join lateral (
    select id, effective_from from observations
    where ${ofOffer(sql)} and valid_until >= ${at} and ${upTo}
      and effective_from >= coalesce(endless.effective_from, '-infinity')
      and (effective_from, id) > (coalesce(endless.effective_from, '-infinity'),
        coalesce(endless.id, 0))
    ${newestFirst(sql)}
  ) ending on true
  where coalesce(ending.id, endless.id) is not null
) o`
