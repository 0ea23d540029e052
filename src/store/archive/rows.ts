import { getTableConfig } from 'drizzle-orm/pg-core'
import type { Window } from '~/domain/period.ts'
import type { Database, Part, Sql } from '~/store/database.ts'
import { arrayLiteral, boundText, instantText } from '~/store/encoding.ts'
import { observations } from '~/store/schema.ts'
import { type Archive, monthStartMs, touches } from './archived.ts'

export const COLUMNS = getTableConfig(observations).columns.map(({ name }) => name)

type Columns = readonly string[]

const selected = (names: Columns): string =>
  names.map((name) => (name === 'corridor_id' ? 'b.corridor_id' : `u.${name}`)).join()

/** Columns of the rows of blocks `b`; arrays in a SELECT list cost half as much as in `unnest`. */
const opened = (names: Columns): string =>
  `lateral (select ${names
    .filter((name) => name !== 'corridor_id')
    .map((name) => `unnest(b.${name}) as ${name}`)
    .join()}) u`

/** Every block of observations as rows with their columns, for statements that read all. */
export const ALL_ROWS = `select ${COLUMNS.join()} from observations union all
  select ${selected(COLUMNS)} from observation_blocks b cross join ${opened(COLUMNS)}`

type Handle = Pick<Database, 'sql' | 'knownMs'>

type Opened = {
  readonly blocks: Part
  readonly condition: Part
  readonly columns?: Columns | undefined
}

/** The rows of blocks `b` that were known at the time of a handle. */
const rowsOf = ({ sql, knownMs }: Handle, { blocks, condition, columns = COLUMNS }: Opened) => sql`
  select ${sql.unsafe(selected(columns))},
    b.first as block_first, b.last as block_last, b.place as block_place
  from ${blocks} b cross join ${sql.unsafe(opened(columns))}
  where ${condition} ${knownMs === undefined ? sql`` : isKnown(sql, knownMs)}`

/** The condition on known rows, as in the views of the schema `known`. */
const isKnown = (sql: Sql, knownMs: number): Part => {
  const known = sql`${instantText(knownMs)}::timestamptz`
  return sql`and b.recorded <= ${known} and u.recorded_at <= ${known} and not exists (
    select from public.late_commits late
    where late.kind = 'observations' and late.said_at = u.recorded_at
      and (late.ids is null or u.id = any(late.ids)) and late.known_at > ${known}
  )`
}

const LONGEST_MONTH = "interval '31 days'"

type Span = { readonly from: Part; readonly before: Part }

/** Reports whether the block of `names` may have rows of a span of time. */
const isNear = (sql: Sql, names: string, { from, before }: Span): Part => sql`
  ${sql.unsafe(`${names}first`)} > ${from} - ${sql.unsafe(LONGEST_MONTH)}
  and ${sql.unsafe(`${names}first`)} < ${before} and ${sql.unsafe(`${names}last`)} >= ${from}`

const bounds = (sql: Sql, { fromMs, beforeMs }: Window) => ({
  from: sql`${boundText(fromMs)}::timestamptz`,
  before: sql`${boundText(beforeMs)}::timestamptz`,
})

type Asked = Window & { readonly corridorId: number | Part; readonly columns?: Columns }

/** Archived rows of a corridor, or of several by a subquery, in a window. */
function archivedIn(database: Handle, asked: Asked, more?: Part): Part {
  const { sql } = database
  const { corridorId, columns, ...window } = asked
  const { from, before } = bounds(sql, window)
  const ofCorridor = typeof corridorId === 'number' ? sql`= ${corridorId}` : sql`in (${corridorId})`
  const condition = sql`
    b.corridor_id ${ofCorridor} and ${isNear(sql, 'b.', { from, before })}
    and u.effective_from >= ${from} and u.effective_from < ${before} ${more ?? sql``}`
  return rowsOf(database, { blocks: sql`public.observation_blocks`, condition, columns })
}

/** Rows as `observations` of a WITH, which statements read by that name. */
const alongside = (sql: Sql, archived: Part, columns: Columns = COLUMNS): Part => sql`
  observations as not materialized (
    select ${sql(columns)}, effective_from as block_first, effective_from as block_last
    from observations
    union all
    select ${sql(columns)}, block_first, block_last from (${archived}) archived
  )`

type Place = { readonly corridorId: number | Part; readonly archive?: Archive }

/** The columns from which rollups are computed. */
export const RATED: Columns = [
  ...['id', 'corridor_id', 'provider_corridor_id', 'offer_id'],
  ...['effective_from', 'recorded_at', 'rate_type', 'rate'],
]

/**
 * A part of a WITH by which a statement about a corridor reads archived observations of a window
 * too, with all columns or those that it needs; null if there are none, so that the statement stays
 * as it is.
 */
export function archivedTables(
  database: Handle,
  place: Place,
  window: Window & { readonly columns?: Columns },
): Part | null {
  if (!touches(place.archive, window)) return null
  const { corridorId } = place
  return alongside(database.sql, archivedIn(database, { ...window, corridorId }), window.columns)
}

/** The condition that has `archivedTables` open only blocks of a span within its window. */
export const inBlocksOf = (sql: Sql, from: Part, before: Part): Part =>
  sql`and ${isNear(sql, 'block_', { from, before })}`

type Standing = {
  /** Start of the search for prices that never expire. */
  readonly fromMs: number
  /** Prices that expire hold at this time or later. */
  readonly sinceMs: number
  readonly beforeMs: number
}

/**
 * The first time whose archived rows a request about a time needs: earlier months have in their own
 * parts what is needed after them, to a handle of an earlier time what is needed after that.
 */
export const neededFromMs = ({ knownMs }: Pick<Handle, 'knownMs'>, ms: number): number =>
  monthStartMs(Math.min(ms, knownMs ?? ms))

/**
 * A part of a WITH that has as `archived` the last prices before a time: of each offer the newest
 * that never expires, and all that expire and still hold.
 */
export function archivedLast(database: Handle, place: Place, asked: Standing): Part | null {
  if (!touches(place.archive, lastWindow(database, asked))) return null
  return database.sql`archived as materialized (${lastRows(database, place, asked)})`
}

const lastWindow = (database: Handle, { sinceMs, beforeMs }: Standing): Window => ({
  fromMs: neededFromMs(database, Math.min(sinceMs, beforeMs - 1)),
  beforeMs,
})

/** Finds rows by the few columns that say which, and opens the others of their blocks alone. */
function lastRows(database: Handle, { corridorId }: Place, asked: Standing): Part {
  const { sql } = database
  const isLast = sql`and (u.valid_until >= ${boundText(asked.sinceMs)}::timestamptz
    or u.valid_until is null and u.effective_from >= ${boundText(asked.fromMs)}::timestamptz)`
  const narrow = { corridorId, ...lastWindow(database, asked), columns: PLACED }
  const found = sql`(
    select block_first, block_place, array_agg(id) as ids from (
      select *, row_number() over (
        partition by provider_corridor_id, offer_id, valid_until is null
        order by effective_from desc, id desc
      ) as nth
      from (${archivedIn(database, narrow, isLast)}) one
    ) placed
    where nth = 1 or valid_until is not null
    group by 1, 2
  )`
  const blocks = sql`${found} found cross join public.observation_blocks`
  const condition = sql`b.corridor_id = ${corridorId} and b.first = found.block_first
    and b.place = found.block_place and u.id = any(found.ids)`
  return rowsOf({ sql }, { blocks, condition })
}

const PLACED: Columns = [
  ...['id', 'provider_corridor_id', 'offer_id'],
  ...['effective_from', 'recorded_at', 'valid_until'],
]

/** `archivedLast` with all prices from a time on. */
export function archivedSince(database: Handle, place: Place, fromMs: number): Part | null {
  const { sql } = database
  const later = { fromMs, beforeMs: Number.POSITIVE_INFINITY }
  if (!touches(place.archive, { ...later, fromMs: neededFromMs(database, fromMs) })) return null
  const before = { fromMs: Number.NEGATIVE_INFINITY, sinceMs: fromMs, beforeMs: fromMs }
  const last = lastRows(database, place, before)
  return sql`
    archived as materialized (
      ${last} union all ${archivedIn(database, { corridorId: place.corridorId, ...later })}
    ), ${alongside(sql, sql`select * from archived`)}`
}

type PagePart = Window & {
  /** A part of the window that is known to the statement alone. */
  readonly span?: Span
  readonly order: 'asc' | 'desc'
  /** The condition of the page, by the names of columns. */
  readonly condition: Part
  readonly rowsMax: number | Part
}

/** `archivedTables` for a page: opens blocks in their order until it has enough rows. */
export function archivedPage(database: Handle, place: Place, page: PagePart): Part | null {
  if (!touches(place.archive, page)) return null
  const { sql } = database
  const way = sql.unsafe(page.order)
  const blocks = sql`(
    select * from public.observation_blocks
    where corridor_id = ${place.corridorId} and ${isNear(sql, '', page.span ?? bounds(sql, page))}
    order by first ${way}, place ${way} offset 0
  )`
  const rows = rowsOf(database, { blocks, condition: sql`true` })
  return alongside(
    sql,
    sql`
    select * from (${rows}) page where ${page.condition}
    order by block_first ${way}, block_place ${way}, effective_from ${way}, id ${way}
    limit ${page.rowsMax}`,
  )
}

/** `archivedTables` for one provider's series in all corridors. */
export function archivedOfProvider(
  { sql, archive }: { readonly sql: Sql; readonly archive: Archive },
  providerId: string,
  window: Window,
): Part | null {
  if (!touches(archive, window)) return null
  const own = (column: string) => sql`
    select ${sql(column)} from provider_corridors where provider_id = ${providerId}`
  const more = sql`and u.provider_corridor_id in (${own('id')})`
  const archived = archivedIn({ sql }, { corridorId: own('corridor_id'), ...window }, more)
  return sql`archived as materialized (${archived}),
    ${alongside(sql, sql`select * from archived`)}`
}

/** Some observations by id: listed, or from `first` to `last`. */
type Ids = { readonly ids: readonly number[] } | { readonly first: number; readonly last: number }

export function observationTable(sql: Sql, archive: Archive, wanted: Ids): Part {
  if (archive.size === 0) return sql`observations`
  const blocks =
    'ids' in wanted
      ? sql`exists (
          select from unnest(${arrayLiteral(wanted.ids)}::bigint[]) one (id) where b.ids @> one.id
        )`
      : sql`b.ids && int8range(${wanted.first}, ${wanted.last}, '[]')`
  return sql`(
    select ${sql(COLUMNS)} from observations
    union all
    select ${sql(COLUMNS)} from (
      ${rowsOf({ sql }, { blocks: sql`public.observation_blocks`, condition: blocks })}
    ) archived
  )`
}
