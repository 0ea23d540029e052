import type { Window } from '~/domain/period.ts'
import type { Quote } from '~/domain/quote.ts'
import type { Database, Part, Sql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { liveQuotes, type QuoteRow, quoteColumns, quoteOf } from '~/store/quote-store.ts'

/** A change in the log, as far as its rows are looked for. */
type Named = {
  readonly ids: readonly number[] | null
  readonly window: Window | null
  readonly spread?: {
    readonly corridorIds: readonly number[]
    readonly witnesses: readonly number[]
  } | null
}

type Hidden = {
  readonly ids: readonly number[]
  readonly ranges: readonly { readonly firstId: number; readonly lastId: number }[]
}

/** The quotes of a database on several servers; only the servers that may have them are queried. */
export function createSpreadQuoteStore(database: Database) {
  const { sql } = database
  return {
    /** The rows of changes that name them, as far as they can be seen. */
    async ofChanges(changes: readonly Named[]): Promise<Quote[]> {
      const ids = changes.flatMap((change) => change.ids ?? [])
      const found = await rowsOfChanges(sql, sql`observations`, { ids, changes })
      const missing = new Set(ids).difference(new Set(found.map(({ id }) => Number(id))))
      const lost = { ids: [...missing], changes }
      const gone = missing.size > 0 ? await rowsOfChanges(sql, sql`withdrawals`, lost) : []
      return [...found, ...gone].map(quoteOf)
    },
    /** The withdrawn quotes among these ids, in some corridors, or in all. */
    async withdrawnAmong(ids: readonly number[], corridorIds: readonly number[] | null) {
      const isIn = corridorIds
        ? sql`o.corridor_id = any(${arrayLiteral(corridorIds)}::int[])`
        : sql`true`
      const rows = await sql<QuoteRow[]>`
        select ${quoteColumns(sql)}
        from withdrawals o
        join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
        join corridors c on c.id = o.corridor_id
        left join offers f on f.id = o.offer_id and f.corridor_id = o.corridor_id
        where o.id = any(${arrayLiteral(ids)}::bigint[]) and ${isIn}`
      return rows.map(quoteOf)
    },
    async hasWitnesses(change: Named): Promise<boolean> {
      const witnesses = new Set(change.spread?.witnesses ?? [])
      if (witnesses.size === 0) return true
      const count = (table: Part) => witnessesIn(sql, table, { witnesses, change })
      const seen = await count(sql`observations`)
      return seen === witnesses.size || seen + (await count(sql`withdrawals`)) === witnesses.size
    },
    /** Live quotes of some corridors, or of all, as if hidden rows had not been recorded. */
    async live(nowMs: number, hidden: Hidden | null, corridorIds: readonly number[] | null) {
      const found = new Map<string, Quote>()
      const shards = await shardsOf(sql, corridorIds)
      const next = async (): Promise<void> => {
        for (let ids = shards.pop(); ids; ids = shards.pop())
          for (const [id, quote] of await liveQuotes(database, nowMs, tablesOf(sql, ids, hidden)))
            found.set(id, quote)
      }
      await Promise.all(Array.from({ length: SHARDS_AT_ONCE }, next))
      return [...found.values()]
    },
  }
}

/** Rows of changes in a table with the columns of observations. */
function rowsOfChanges(
  sql: Sql,
  table: Part,
  { ids, changes }: { readonly ids: readonly number[]; readonly changes: readonly Named[] },
) {
  return sql<QuoteRow[]>`
    select ${quoteColumns(sql)}
    from ${table} o
    join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
    join corridors c on c.id = o.corridor_id
    left join offers f on f.id = o.offer_id and f.corridor_id = o.corridor_id
      and f.corridor_id = any(${corridorsOf(changes)}::int[])
    where o.id = any(${arrayLiteral(ids)}::bigint[]) and ${isNear(sql, changes)}
      and p.corridor_id = any(${corridorsOf(changes)}::int[])`
}

/** The number of witnesses of a change that are in a table. */
async function witnessesIn(
  sql: Sql,
  table: Part,
  { witnesses, change }: { readonly witnesses: ReadonlySet<number>; readonly change: Named },
): Promise<number> {
  const rows = await sql`
    select o.id from ${table} o
    where o.id = any(${arrayLiteral([...witnesses])}::bigint[]) and ${isNear(sql, [change])}`
  return rows.length
}

/** The number of shards that are queried at once, as each holds a connection of its own. */
const SHARDS_AT_ONCE = 4

async function shardsOf(sql: Sql, corridorIds: readonly number[] | null): Promise<number[][]> {
  const rows = await sql<{ ids: number[] }[]>`
    select array_agg(id) as ids from (
      select id, get_shard_id_for_distribution_column('public.rollups', id) as shard
      from corridors
    ) placed
    where ${corridorIds ? sql`id = any(${arrayLiteral(corridorIds)}::int[])` : sql`true`}
    group by shard`
  return rows.map(({ ids }) => ids)
}

/**
 * The beginning of a statement that sees the rows of one shard's corridors alone, without hidden
 * ones. As they are constants the statement goes to that shard as it is: the servers refuse one
 * with recursion that is about several.
 */
function tablesOf(sql: Sql, corridorIds: readonly number[], hidden: Hidden | null) {
  const isIn = sql`corridor_id = any(${arrayLiteral(corridorIds)}::int[])`
  return sql`
    with observations as not materialized (
      select * from public.observations where ${isIn} ${hidden ? isShown(sql, hidden) : sql``}
    ), provider_corridors as not materialized (
      select * from public.provider_corridors where ${isIn}
    ), offers as not materialized (
      select * from public.offers where ${isIn}
    ), long_prices as not materialized (
      select * from public.long_prices where ${isIn} ${hidden ? isShown(sql, hidden) : sql``}
    )`
}

/** The corridors of changes; given for each table, as all its servers are queried otherwise. */
const corridorsOf = (changes: readonly Named[]): string =>
  arrayLiteral([...new Set(changes.flatMap(({ spread }) => spread?.corridorIds ?? []))])

/** Reports whether a row is in the corridors and between the times of these changes. */
function isNear(sql: Sql, changes: readonly Named[]) {
  const windows = changes.flatMap(({ window }) => window ?? [])
  const fromMs = Math.min(...windows.map((window) => window.fromMs))
  const beforeMs = Math.max(...windows.map((window) => window.beforeMs))
  const isTimed = windows.length === changes.length
  return sql`o.corridor_id = any(${corridorsOf(changes)}::int[])
    ${
      isTimed
        ? sql`and o.effective_from >= ${instantText(fromMs)}::timestamptz
            and o.effective_from < ${instantText(beforeMs)}::timestamptz`
        : sql``
    }`
}

function isShown(sql: Sql, { ids, ranges }: Hidden) {
  const firsts = ranges.map(({ firstId }) => firstId)
  const lasts = ranges.map(({ lastId }) => lastId)
  return sql`and id <> all(${arrayLiteral(ids)}::bigint[]) and not exists (
    select from unnest(${arrayLiteral(firsts)}::bigint[], ${arrayLiteral(lasts)}::bigint[])
      as hidden (first_id, last_id)
    where id between first_id and last_id
  )`
}
