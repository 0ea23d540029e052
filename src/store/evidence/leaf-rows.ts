import { type Entry, SALT_BYTES } from '~/evidence/entry.ts'
import { HASH_BYTES } from '~/evidence/span.ts'
import { type Archive, archivedMonths } from '~/store/archive/archived.ts'
import { observationTable } from '~/store/archive/rows.ts'
import type { Part, Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { quoteTables } from '~/store/quote-store.ts'
import { OWN_COLUMNS } from '~/store/recording/own-columns.ts'

/** Kinds of rows of leaves, in the order in which rows from before the log are sealed. */
export const LEAF_KINDS = ['reference', 'observation', 'withdrawal', 'catalogue'] as const

export type LeafKind = (typeof LEAF_KINDS)[number]

/** The table of each kind's rows, and the column that says when they were recorded. */
export const LEAF_TABLES: Readonly<Record<LeafKind, readonly [table: string, time: string]>> = {
  reference: ['reference_rates', 'fetched_at'],
  observation: ['observations', 'recorded_at'],
  withdrawal: ['withdrawals', 'withdrawn_at'],
  catalogue: ['catalogue_history', 'since'],
}

/** The greatest id in a key, plus one. */
export const IDS = 2 ** 48

/** The kind and the id of a row in one number; keys of a kind ascend with the ids. */
export const leafKey = (kind: LeafKind, id: number): number => LEAF_KINDS.indexOf(kind) * IDS + id

export const leafOfKey = (key: number) => ({
  kind: LEAF_KINDS[Math.floor(key / IDS)]!,
  id: key % IDS,
})

export type LeafRow = {
  readonly id: number
  readonly entry: Entry
  /** The time from which it counts, if rows of that kind are pruned by age; else null. */
  readonly effectiveMs: number | null
}

/** Some rows of a kind: listed, or the first `limit` from `first` to `last`. */
type Wanted =
  | { readonly ids: readonly number[] }
  | { readonly first: number; readonly last: number; readonly limit: number }

/** A client for parts of statements, and the sender of them: itself or a transaction. */
export type Reading = { readonly sql: Sql; readonly tx: Sql | TransactionSql }

/** Factor by which a range may be wider than its rows to be read instead of a list. */
const RANGE_SPREAD_MAX = 4

/** Rows of a kind by id, ascending; withdrawn observations are among the observations. */
export async function leafRows(
  reading: Reading,
  kind: LeafKind,
  wanted: Wanted,
): Promise<LeafRow[]> {
  const archive = await archiveOf(reading, kind)
  if ('ids' in wanted) return foundRows(reading, { kind, archive }, wanted)
  const leaves: LeafRow[] = []
  for (let { first, last, limit } = wanted; first <= last && limit > 0; first += IDS_AT_ONCE) {
    const part = { first, last: Math.min(last, first + IDS_AT_ONCE - 1), limit }
    leaves.push(...(await foundRows(reading, { kind, archive }, part)))
    limit = wanted.limit - leaves.length
  }
  return leaves
}

/**
 * Ids of a range in one statement, which sorts all of them if the table has no statistics yet, and
 * opens all blocks that may have one.
 */
const IDS_AT_ONCE = 2000

const NONE: Archive = new Set()

export const archiveOf = async ({ sql }: Reading, kind: LeafKind): Promise<Archive> =>
  kind === 'observation' ? archivedMonths(sql) : NONE

type Of = { readonly kind: LeafKind; readonly archive: Archive }

async function foundRows({ sql, tx }: Reading, { kind, archive }: Of, wanted: Wanted) {
  const isListed = 'ids' in wanted
  if (isListed && wanted.ids.length === 0) return []
  const limit = isListed ? sql`` : sql`limit ${wanted.limit}`
  const condition = isListed
    ? listed(sql, wanted.ids)
    : sql`o.id between ${wanted.first} and ${wanted.last}`
  const among = isListed ? new Set(wanted.ids) : null
  const found = new Map<number, LeafRow>()
  for (const source of SOURCES[kind](sql, observationTable(sql, archive, wanted))) {
    const rows = await (tx as Sql)<SourceRow[]>`
      ${readFrom(sql, source)} where ${condition} order by o.id ${limit}`
    for (const row of rows) {
      const leaf = leafRowOf(kind, row)
      if (!among || among.has(leaf.id)) found.set(leaf.id, leaf)
    }
  }
  const leaves = [...found.values()].sort((a, b) => a.id - b.id)
  return isListed ? leaves : leaves.slice(0, wanted.limit)
}

/** A dense list is read as a range, which is one query of each month. */
function listed(sql: Sql, ids: readonly number[]): Part {
  const range = rangeOf(ids)
  return range
    ? sql`o.id between ${range.first} and ${range.last}`
    : sql`o.id = any(${arrayLiteral(ids)}::bigint[])`
}

/** The range of a dense list; null for any other. */
function rangeOf(ids: readonly number[]): Span | null {
  const [first, last] = [Math.min(...ids), Math.max(...ids)]
  return last - first < ids.length * RANGE_SPREAD_MAX ? { first, last } : null
}

/** The greatest id of a kind; 0 without any. */
export async function lastIdOf({ sql, tx }: Reading, kind: LeafKind) {
  const [row] = await (tx as Sql)<[{ id: string | number }]>`
    select coalesce(max(id), 0) as id from ${sql(LEAF_TABLES[kind][0])}`
  return Number(row.id)
}

type SourceRow = Readonly<Record<string, unknown>> & {
  readonly id: string | number
  readonly effective_ms: string | null
}

/** A time as the API formats it. */
const written = (sql: Sql, column: Part) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The fields of an entry, by the values that SQL gives them. */
type Fields = Readonly<Record<string, Part>>

/** The source of rows of a kind, as `o` with their joins. */
type Source = { readonly fields: Fields; readonly from: Part; readonly effective?: Part }

/** The fields of an observation itself; a field that a row lacks is not in its entry. */
const ownFields = (sql: Sql): Fields =>
  Object.fromEntries(
    OWN_COLUMNS.map(({ name, type }) => {
      const column = sql.unsafe(`o.${name}`) as unknown as Part
      if (type === 'timestamptz') return [name, written(sql, column)]
      if (type === 'evidence') return [name, sql`coalesce(${column}::text, 'observed')`]
      return [name, sql`${column}::text`]
    }),
  )

const observed = (sql: Sql, table: Part): Source => ({
  effective: sql`o.effective_from`,
  fields: {
    provider_id: sql`p.provider_id`,
    from: sql`c.source`,
    to: sql`c.target`,
    ...ownFields(sql),
    recorded_at: written(sql, sql`o.recorded_at`),
    recorded_via: sql`o.recorded_via`,
    fee_percent: sql`o.fee_percent::text`,
    delivery_min: sql`o.delivery_min`,
    delivery_max: sql`o.delivery_max`,
    valid_until: written(sql, sql`o.valid_until`),
    source_country: sql`f.source_country`,
    target_country: sql`f.target_country`,
    pay_in: sql`f.pay_in`,
    pay_out: sql`f.pay_out`,
    channel: sql`f.channel`,
    amount_min: sql`f.amount_min::text`,
    amount_max: sql`f.amount_max::text`,
    service: sql`f.service`,
  },
  from: sql`from ${quoteTables(sql, table)}`,
})

const SOURCES: Readonly<Record<LeafKind, (sql: Sql, table: Part) => Source[]>> = {
  observation: (sql, table) => [observed(sql, table), observed(sql, sql`withdrawals`)],
  withdrawal: (sql) => [
    {
      effective: sql`o.effective_from`,
      fields: { withdrawn_at: written(sql, sql`o.withdrawn_at`), reason: sql`o.reason` },
      from: sql`from withdrawals o`,
    },
  ],
  reference: (sql) => [
    {
      fields: {
        source: sql`s.source`,
        currency: sql`o.currency`,
        per_usd: sql`o.per_usd::text`,
        basis: sql`o.basis`,
        dispersion_bps: sql`o.dispersion_bps`,
        fetched_at: written(sql, sql`o.fetched_at`),
        upstream_at: written(sql, sql`s.upstream_at`),
        recorded_at: written(sql, sql`s.recorded_at`),
      },
      from: sql`from reference_rates o join reference_snapshots s on s.id = o.snapshot_id`,
    },
  ],
  catalogue: (sql) => [
    {
      fields: {
        table: sql`o.kind`,
        name: sql`o.name`,
        row: sql`(
          select jsonb_object_agg(key, case jsonb_typeof(value)
            when 'number' then to_jsonb(value::text) else value end)
          from jsonb_each(o.row) where value <> 'null'
        )`,
        since: sql`case when isfinite(o.since) then ${written(sql, sql`o.since`)} end`,
      },
      from: sql`from catalogue_history o`,
    },
  ],
}

/** Parts of a statement in a row, with nothing between them. */
const inRow = (sql: Sql, parts: readonly Part[]): Part =>
  parts.reduce((before, part) => sql`${before}${part}`, sql``)

/** The statement that reads the rows of a source, without its condition. */
const readFrom = (sql: Sql, { fields, from, effective = sql`null::timestamptz` }: Source) => {
  const columns = Object.entries(fields).map(([name, value]) => sql`, ${value} as ${sql(name)}`)
  return sql`
    select o.id, extract(epoch from ${effective}) * 1000 as effective_ms${inRow(sql, columns)}
    ${from}`
}

/**
 * The bytes of an entry as the database computes them, with the salt `l.salt`. Those of nested
 * values and of the longest entries differ from the result of `entryBytes`.
 */
function entryIn(sql: Sql, kind: LeafKind, fields: Fields): Part {
  const all: Fields = {
    ...fields,
    kind: sql`${kind}::text`,
    id: sql`o.id`,
    salt: sql`encode(l.salt, 'base64')`,
  }
  const parts = Object.keys(all)
    .sort()
    .map((name) => sql`, ${`,${JSON.stringify(name)}:`}::text || to_json(${all[name]!})::text`)
  return sql`convert_to('{' || substr(concat(''${inRow(sql, parts)}), 2) || '}', 'UTF8')`
}

/** Ids or bundles, from one to another. */
type Span = { readonly first: number; readonly last: number }

/**
 * The keys, among those of some bundles, of leaves that do not have the hash that the database
 * computes of their rows: rows that are gone or differ, and those that `entryIn` cannot do. All
 * others agree with their tiles.
 */
export async function doubtfulKeys(
  reading: Reading,
  { first, last }: Span,
  keys: readonly number[],
): Promise<number[]> {
  const { sql, tx } = reading
  const doubtful: number[] = []
  for (const [kind, own] of Map.groupBy(keys, (key) => leafOfKey(key).kind)) {
    const ids = own.map((key) => leafOfKey(key).id)
    const condition = listed(sql, ids)
    const table = observationTable(sql, await archiveOf(reading, kind), rangeOf(ids) ?? { ids })
    const hash = (fields: Fields) =>
      sql`sha256(decode('00', 'hex') || ${entryIn(sql, kind, fields)})`
    const same = SOURCES[kind](sql, table).map(
      ({ fields, from }) => sql`
        except all select l.key ${from} join leaves l on l.id = o.id
        where ${condition} and l.hash = ${hash(fields)}`,
    )
    const rows = await (tx as Sql)<{ key: string | number }[]>`
      with leaves as materialized (
        select k.key, k.key - ${leafKey(kind, 0)}::bigint as id,
          substr(l.salts, (k.nth::int - 1) * ${SALT_BYTES} + 1, ${SALT_BYTES}) as salt,
          substr(t.hashes, (k.nth::int - 1) * ${HASH_BYTES} + 1, ${HASH_BYTES}) as hash
        from log_leaves l
        left join log_tiles t on t.level = 0 and t.index = l.index
        cross join unnest(l.keys) with ordinality k (key, nth)
        where l.index between ${first} and ${last}
          and k.key between ${leafKey(kind, 0)} and ${leafKey(kind, IDS - 1)}
      )
      select key from leaves ${inRow(sql, same)}`
    doubtful.push(...rows.map(({ key }) => Number(key)))
  }
  return doubtful
}

function leafRowOf(kind: LeafKind, { id: text, effective_ms: ms, ...row }: SourceRow): LeafRow {
  const id = Number(text)
  const effectiveMs = ms === null ? null : Number(ms)
  return { id, effectiveMs, entry: { kind, id, ...row } }
}
