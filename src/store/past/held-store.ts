import type { Corridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { RateType } from '~/domain/provider.ts'
import type { Database } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'

export const createHeldStore = (database: Database) => ({
  async lastIn(corridor: Corridor, stretches: readonly Window[]) {
    const rows = await lastRows(database, corridor, stretches)
    return rows.map((row) => ({
      providerId: row.provider_id,
      stretch: Number(row.stretch) - 1,
      atMs: Number(row.at_ms),
      rate: Number(row.rate),
      rateType: row.rate_type,
    }))
  },
})

type LastRow = {
  readonly provider_id: string
  readonly stretch: string
  readonly at_ms: string
  readonly rate: string
  readonly rate_type: RateType
}

/** One index probe for each provider that ever quoted the corridor and each stretch. */
export function lastRows({ sql }: Database, { from, to }: Corridor, stretches: readonly Window[]) {
  const since = stretches.map(({ fromMs }) =>
    Number.isFinite(fromMs) ? instantText(fromMs) : '-infinity',
  )
  const before = stretches.map(({ beforeMs }) => instantText(beforeMs))
  return sql<LastRow[]>`
    select p.provider_id, stretch, extract(epoch from o.effective_from) * 1000 as at_ms,
      o.rate, o.rate_type
    from corridors c
    join provider_corridors p on p.corridor_id = c.id
    cross join unnest(
      ${arrayLiteral(since)}::timestamptz[], ${arrayLiteral(before)}::timestamptz[]
    ) with ordinality as stretches (since, before, stretch)
    cross join lateral (
      select effective_from, rate, rate_type from observations
      where provider_corridor_id = p.id
        and effective_from >= stretches.since and effective_from < stretches.before
      order by effective_from desc, id desc limit 1
    ) o
    where c.source = ${from} and c.target = ${to}`
}
