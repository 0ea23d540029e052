import type { Corridor } from '~/domain/corridor.ts'
import { ALWAYS_MS, type Window } from '~/domain/period.ts'
import type { RateType } from '~/domain/provider.ts'
import { newestFirst } from '~/domain/quote.ts'
import { type Archive, archivedMonths, touches } from '~/store/archive/archived.ts'
import { archivedLast, neededFromMs } from '~/store/archive/rows.ts'
import { checkedId, type Place } from '~/store/corridor-ids.ts'
import type { Database, Sql } from '~/store/database.ts'
import { arrayLiteral, boundText } from '~/store/encoding.ts'
import { everyOffer, newest, ofOffer } from '~/store/offer/held.ts'
import { hasLongOnes, NEAR_MS, pricedColumns, standingEnding } from '~/store/offer/standing.ts'
import { Reach } from './reach.ts'

type Stretch = Window & { readonly lastMs: number }

export function createHeldStore(database: Database, reach = new Reach()) {
  return {
    async lastIn(corridor: Corridor, stretches: readonly Stretch[]) {
      const found: LastRate[] = []
      const { archived, others } = divided(database, stretches, await archivedMonths(database.sql))
      const ask = async (group: readonly number[], nearMs: number) => {
        const own = group.map((nth) => stretches[nth]!)
        const rows = await reach.rows({
          database,
          corridor,
          nearMs,
          ask: (place, firstMs) => lastRows(database, place, { stretches: own, firstMs }),
        })
        for (const row of rows) found.push(rateOf(row, group[Number(row.stretch) - 1]!))
      }
      if (others.length > 0)
        await ask(others, Math.min(...others.map((nth) => nearStartMs(stretches[nth]!))))
      for (const nth of archived) await ask([nth], ALWAYS_MS)
      return archived.length === 0 ? found : found.sort((a, b) => newestFirst(b, a))
    },
  }
}

type LastRate = ReturnType<typeof rateOf>

const rateOf = (row: LastRow, stretch: number) => ({
  id: Number(row.id),
  providerId: row.provider_id,
  offer: `${row.provider_id} ${row.offer_id}`,
  stretch,
  atMs: Number(row.at_ms),
  rate: Number(row.rate),
  rateType: row.rate_type,
  untilMs: row.until_ms === null ? Number.POSITIVE_INFINITY : Number(row.until_ms),
})

/**
 * Indexes of stretches by whether they need archived observations: those are queried one by one, so
 * that each opens the blocks of its own time alone.
 */
function divided(database: Database, stretches: readonly Stretch[], archive: Archive) {
  const isArchived = ({ lastMs, beforeMs }: Stretch) =>
    touches(archive, { fromMs: neededFromMs(database, Math.min(lastMs, beforeMs - 1)), beforeMs })
  const { archived = [], others = [] } = Object.groupBy(stretches.keys(), (nth) =>
    isArchived(stretches[nth]!) ? 'archived' : 'others',
  )
  return { archived, others }
}

/** Start of a stretch, or of its first search if it has none. */
const nearStartMs = ({ fromMs, beforeMs }: Stretch): number =>
  Number.isFinite(fromMs) ? fromMs : beforeMs - NEAR_MS

type LastRow = {
  readonly id: string | null
  readonly provider_id: string
  readonly offer_id: number
  readonly stretch: string
  readonly at_ms: string
  readonly rate: string
  readonly rate_type: RateType
  readonly until_ms: string | null
  readonly is_far: boolean
}

type LastAsk = {
  readonly stretches: readonly Stretch[]
  /** The time from which a stretch without a start is searched; -Infinity for all of history. */
  readonly firstMs: number
}

/**
 * One index probe for each stretch and each offer that was ever quoted in the corridor, and one
 * search for those that expire. An offer without an endless price in a stretch that has no start
 * gives a row without an id. Several stretches read no archived observations, although the time
 * between them may have some.
 */
export function lastRows(database: Database, place: Place, { stretches, firstMs }: LastAsk) {
  const { sql } = database
  const isFar = !Number.isFinite(firstMs)
  const texts = (of: (stretch: Stretch) => number) => arrayLiteral(stretches.map(of).map(boundText))
  const bounds = {
    sinceMs: Math.min(...stretches.map(({ lastMs }) => lastMs)),
    beforeMs: Math.max(...stretches.map(({ beforeMs }) => beforeMs)),
  }
  const ending = standingEnding(sql, {
    ...place,
    since: sql`stretches.last`,
    before: sql`stretches.before`,
    bounds,
    isFar,
  })
  const [{ fromMs }, ...more] = stretches as [Stretch, ...Stretch[]]
  const archived = more.length > 0 ? null : archivedLast(database, place, { ...bounds, fromMs })
  return sql<LastRow[]>`
    with ${archived ? sql`${archived},` : sql``} stretches as materialized (
      select * from unnest(
        ${texts(({ fromMs }) => fromMs)}::timestamptz[],
        ${texts(({ beforeMs }) => beforeMs)}::timestamptz[],
        ${texts(({ lastMs }) => lastMs)}::timestamptz[]
      ) with ordinality as stretches (since, before, last, stretch)
    )
    select o.id, p.provider_id, o.offer_id, o.stretch, o.rate, o.rate_type,
      extract(epoch from o.effective_from) * 1000 as at_ms,
      extract(epoch from o.valid_until) * 1000 as until_ms,
      ${isFar ? sql`false` : hasLongOnes(sql, { ...place, bounds })} as is_far
    from (
      ${endlessRows(sql, place, stretches)}
      union all
      ${openRows(sql, place, { stretches, firstMs })}
      union all
      select provider_corridor_id, stretch, standing.* from stretches
      cross join lateral (${ending}) standing
      ${
        archived
          ? sql`union all
            select provider_corridor_id, 1, ${pricedColumns(sql)} from archived`
          : sql``
      }
    ) o
    join provider_corridors p on p.id = o.series and p.corridor_id = ${place.corridorId}
      and p.corridor_id = ${checkedId(sql, place)}`
}

/** The last endless price of each offer in each stretch that has a start. */
function endlessRows(sql: Sql, place: Place, stretches: readonly Stretch[]) {
  const fromMs = Math.min(...stretches.map(({ fromMs }) => fromMs).filter(Number.isFinite))
  const beforeMs = Math.max(...stretches.map(({ beforeMs }) => beforeMs))
  return sql`
    select p.id as series, stretch, endless.* from provider_corridors p
    cross join ${everyOffer(sql, place)}
    cross join stretches
    cross join lateral (
      ${newest(sql, place, {
        columns: pricedColumns(sql),
        where: sql`${ofOffer(sql, place)} and valid_until is null
          and effective_from >= ${boundText(fromMs)}::timestamptz
          and effective_from < ${boundText(beforeMs)}::timestamptz
          and effective_from >= stretches.since and effective_from < stretches.before`,
      })}
    ) endless
    where p.corridor_id = ${place.corridorId} and stretches.since > '-infinity'`
}

/** The last endless price of each offer in a stretch that has no start, or a row without one. */
function openRows(sql: Sql, place: Place, { stretches, firstMs }: LastAsk) {
  const open = stretches.findIndex(({ fromMs }) => !Number.isFinite(fromMs))
  const beforeMs = stretches[open]?.beforeMs ?? Number.NEGATIVE_INFINITY
  const first = Number.isFinite(firstMs)
    ? sql`and effective_from >= ${boundText(firstMs)}::timestamptz`
    : sql``
  return sql`
    select p.id, ${open + 1}::bigint, endless.* from provider_corridors p
    cross join ${everyOffer(sql, place)}
    left join lateral (
      ${newest(sql, place, {
        columns: pricedColumns(sql),
        where: sql`${ofOffer(sql, place)} and valid_until is null
          and effective_from < ${boundText(beforeMs)}::timestamptz ${first}`,
      })}
    ) endless on true
    where p.corridor_id = ${place.corridorId} and ${open >= 0}`
}
