import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { everyOffer, ofOffer } from '~/store/offer/held.ts'
import { pricedColumns, standingEnding } from '~/store/offer/standing.ts'

type Stretch = Window & { readonly lastMs: number }

export const createHeldStore = (database: Database) => ({
  async lastIn(corridor: Corridor, stretches: readonly Stretch[]) {
    const rows = await lastRows(database, corridor, stretches)
    return rows.map((row) => ({
      id: Number(row.id),
      providerId: row.provider_id,
      offer: `${row.provider_id} ${row.offer_id}`,
      stretch: Number(row.stretch) - 1,
      atMs: Number(row.at_ms),
      rate: Number(row.rate),
      rateType: row.rate_type,
      untilMs: row.until_ms === null ? Number.POSITIVE_INFINITY : Number(row.until_ms),
    }))
  },
})

type LastRow = {
  readonly id: string
  readonly provider_id: string
  readonly offer_id: number
  readonly stretch: string
  readonly at_ms: string
  readonly rate: string
  readonly rate_type: RateType
  readonly until_ms: string | null
}

/**
 * For each stretch one index probe for each offer that was ever quoted in the corridor, and one
 * search for those that run out.
 */
export function lastRows({ sql }: Database, { from, to }: Corridor, stretches: readonly Stretch[]) {
  const since = stretches.map(({ fromMs }) =>
    Number.isFinite(fromMs) ? instantText(fromMs) : '-infinity',
  )
  const before = stretches.map(({ beforeMs }) => instantText(beforeMs))
  const last = stretches.map(({ lastMs }) => instantText(lastMs))
  const ending = standingEnding(sql, {
    corridorId: sql`(select id from corridor)`,
    since: sql`stretches.last`,
    before: sql`stretches.before`,
  })
  return sql<LastRow[]>`
    with corridor as materialized (
      select id from corridors where source = ${from} and target = ${to}
    ), stretches as materialized (
      select * from unnest(
        ${arrayLiteral(since)}::timestamptz[], ${arrayLiteral(before)}::timestamptz[],
        ${arrayLiteral(last)}::timestamptz[]
      ) with ordinality as stretches (since, before, last, stretch)
    )
    select o.id, p.provider_id, o.offer_id, o.stretch, o.rate, o.rate_type,
      extract(epoch from o.effective_from) * 1000 as at_ms,
      extract(epoch from o.valid_until) * 1000 as until_ms
    from (
      select stretch, endless.* from provider_corridors p
      cross join ${everyOffer(sql)}
      cross join stretches
      cross join lateral (
        select ${pricedColumns(sql)} from observations
        where ${ofOffer(sql)} and valid_until is null
          and effective_from >= stretches.since and effective_from < stretches.before
        order by effective_from desc, id desc limit 1
      ) endless
      where p.corridor_id = (select id from corridor)
      union all
      select stretch, standing.* from stretches
      cross join lateral (${ending}) standing
    ) o
    join provider_corridors p on p.id = o.provider_corridor_id`
}
