import type { StoredCorridor } from '~/domain/corridor.ts'
import type { Window } from '~/domain/period.ts'
import type { Catalogue } from '~/domain/provider.ts'
import type { RecordedQuote } from '~/domain/quote.ts'
import { archivedMonths } from '~/store/archive/archived.ts'
import { archivedTables } from '~/store/archive/rows.ts'
import type { Database, Part, Sql } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { withOffer } from '~/store/offer/offer-row.ts'
import {
  everObserved,
  type RecordedRow,
  recordedColumns,
  recordedIn,
} from '~/store/past/history-store.ts'
import { createSnapshotStore } from '~/store/past/snapshot-store.ts'

/** The maximum number of corridors in a file; the codes of all existing currencies make fewer. */
const CORRIDORS_MAX = 50_000
const BATCH_ROWS = 1000

export type FilePast = ReturnType<typeof filePast>

/** The data of a file; without a catalogue, with the current one. */
export const filePast = (database: Database, catalogue: Catalogue | null) => ({
  ...createSnapshotStore(database),
  catalogue,
  corridorsBefore: (beforeMs: number) => corridorsBefore(database, beforeMs),
  async firstMs(): Promise<number | null> {
    const [row] = await database.sql<{ first: number | null }[]>`
      select extract(epoch from min(first) at time zone 'UTC')::float8 * 1000 as first
      from ${quoted(database.sql)} p cross join lateral (
        select effective_from as first from observations
        where corridor_id = p.corridor_id order by effective_from limit 1
      ) oldest`
    return row?.first ?? null
  },
  async lostMs(): Promise<number> {
    const [row] = await database.sql<{ lost: number | null }[]>`
      select extract(epoch from max(before))::float8 * 1000 as lost from public.prunings
      where observations > 0`
    return row?.lost ?? Number.NEGATIVE_INFINITY
  },
  rows: (window: Window) => rowsIn(database, window),
})

async function corridorsBefore(database: Database, beforeMs: number): Promise<StoredCorridor[]> {
  const { sql } = database
  const corridorId = sql`select p.corridor_id`
  const archive = await archivedMonths(sql)
  const window = { fromMs: Number.NEGATIVE_INFINITY, beforeMs }
  const archived = archivedTables(database, { corridorId, archive }, window)
  const before = sql`${instantText(beforeMs)}::timestamptz`
  return sql<StoredCorridor[]>`
    select c.id, source as "from", target as "to" from corridors c
    join (
      select p.corridor_id from ${quoted(sql)} p
      where exists (
        ${archived ? sql`with ${archived}` : sql``}
        select 1 from observations
        where corridor_id = p.corridor_id and effective_from < ${before}
      )
    ) quoted on quoted.corridor_id = c.id
    order by source collate "C", target collate "C" limit ${CORRIDORS_MAX}`
}

/** The ids of corridors that were ever quoted, from the server that has their observations. */
const quoted = (sql: Sql) => sql`(select distinct corridor_id from provider_corridors)`

/** All observations of a window, withdrawn ones included, by corridor, time and id. */
async function* rowsIn(database: Database, window: Window): AsyncGenerator<RecordedQuote[]> {
  const { sql } = database
  const corridors = await sql<StoredCorridor[]>`
    select c.id, source as "from", target as "to" from corridors c
    join ${quoted(sql)} quoted on quoted.corridor_id = c.id
    order by source collate "C", target collate "C" limit ${CORRIDORS_MAX}`
  for (const corridor of corridors) {
    // A long file may be read while its month is archived.
    const archive = await archivedMonths(sql)
    const archived = archivedTables(database, { corridorId: corridor.id, archive }, window)
    const tables = archived ? sql`with ${archived}` : sql``
    for await (const rows of rowsOf(sql, { ...corridor, tables }, window).cursor(BATCH_ROWS))
      yield rows.map((row) => recordedIn(corridor, row))
  }
}

type Read = StoredCorridor & {
  /** The beginning of the statement. */
  readonly tables: Part
}

const rowsOf = (sql: Sql, { id, tables }: Read, { fromMs, beforeMs }: Window) => sql<RecordedRow[]>`
  ${tables}
  select ${recordedColumns(sql, true)} from (select * from ${everObserved(sql)}) o
  join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = ${id}
  ${withOffer(sql, sql`${id}`)}
  where o.corridor_id = ${id} and o.effective_from >= ${instantText(fromMs)}::timestamptz
    and o.effective_from < ${instantText(beforeMs)}::timestamptz
  order by o.effective_from, o.id`
