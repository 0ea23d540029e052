import type { PendingQuery, Row, TransactionSql } from 'postgres'
import type { Entry } from '~/evidence/entry.ts'
import { type Archive, archivedMonths } from '~/store/archive/archived.ts'
import { observationTable } from '~/store/archive/rows.ts'
import type { Sql } from '~/store/database.ts'
import { arrayLiteral } from '~/store/encoding.ts'
import { withOffer } from '~/store/offer/offer-row.ts'

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

/** One more than the greatest id in a key. */
export const IDS = 2 ** 48

/** The kind and the id of a row in one number; keys of a kind ascend with the ids. */
export const leafKey = (kind: LeafKind, id: number): number => LEAF_KINDS.indexOf(kind) * IDS + id

export const leafOfKey = (key: number) => ({
  kind: LEAF_KINDS[Math.floor(key / IDS)]!,
  id: key % IDS,
})

/** A row that is, or becomes, a leaf. */
export type LeafRow = {
  readonly id: number
  readonly entry: Entry
  /** From when on it counts, where rows of that kind are pruned by age; else null. */
  readonly effectiveMs: number | null
}

/** Some rows of a kind: listed, or the first `limit` from `first` to `last`. */
type Wanted =
  | { readonly ids: readonly number[] }
  | { readonly first: number; readonly last: number; readonly limit: number }

type Fragment = PendingQuery<Row[]>
/** A client for parts of statements, and what sends them: itself or a transaction. */
export type Reading = { readonly sql: Sql; readonly tx: Sql | TransactionSql }

/** Factor by which a range may be wider than its rows to be read instead of a list. */
const RANGE_SPREAD_MAX = 4

/** Rows of a kind by id, ascending; withdrawn observations are among the observations. */
export async function leafRows(
  reading: Reading,
  kind: LeafKind,
  wanted: Wanted,
): Promise<LeafRow[]> {
  const archive = kind === 'observation' ? await archivedMonths(reading.sql) : NONE
  if (archive.size === 0 || 'ids' in wanted) return foundRows(reading, { kind, archive }, wanted)
  const leaves: LeafRow[] = []
  for (let { first } = wanted; first <= wanted.last; first += ARCHIVED_IDS) {
    const part = { first, last: Math.min(wanted.last, first + ARCHIVED_IDS - 1) }
    const limit = wanted.limit - leaves.length
    leaves.push(...(await foundRows(reading, { kind, archive }, { ...part, limit })))
    if (leaves.length >= wanted.limit) break
  }
  return leaves
}

const NONE: Archive = new Set()
/** Ids of archived rows in one statement, which opens all blocks that may have one of them. */
const ARCHIVED_IDS = 10_000

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
  const table = observationTable(sql, archive, wanted)
  for (const source of SOURCES[kind](sql, table)) {
    const rows = await (tx as Sql)<SourceRow[]>`
      ${source} where ${condition} order by o.id ${limit}`
    for (const row of rows) {
      const leaf = leafRowOf(kind, row)
      if (!among || among.has(leaf.id)) found.set(leaf.id, leaf)
    }
  }
  const leaves = [...found.values()].sort((a, b) => a.id - b.id)
  return isListed ? leaves : leaves.slice(0, wanted.limit)
}

/** A dense list is read as a range, which each month answers at once. */
function listed(sql: Sql, ids: readonly number[]): Fragment {
  const [first, last] = [Math.min(...ids), Math.max(...ids)]
  return last - first < ids.length * RANGE_SPREAD_MAX
    ? sql`o.id between ${first} and ${last}`
    : sql`o.id = any(${arrayLiteral(ids)}::bigint[])`
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

/** A moment as the API writes it. */
const written = (sql: Sql, column: Fragment) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const said = (sql: Sql, table: Fragment) => sql`
  select o.id, extract(epoch from o.effective_from) * 1000 as effective_ms,
    p.provider_id, c.source as "from", c.target as "to", o.rate_type, o.rate::text as rate,
    o.fee::text as fee, o.fee_currency, o.notes, coalesce(o.evidence::text, 'observed') as evidence,
    ${written(sql, sql`o.effective_from`)} as effective_from,
    ${written(sql, sql`o.recorded_at`)} as recorded_at, o.recorded_via,
    o.fee_percent::text as fee_percent, o.delivery_min, o.delivery_max,
    ${written(sql, sql`o.valid_until`)} as valid_until,
    f.source_country, f.target_country, f.pay_in, f.pay_out, f.channel,
    f.amount_min::text as amount_min, f.amount_max::text as amount_max, f.service
  from ${table} o
  join provider_corridors p on p.id = o.provider_corridor_id and p.corridor_id = o.corridor_id
  join corridors c on c.id = o.corridor_id
  ${withOffer(sql, sql`o.corridor_id`)}`

/** The statements that read rows of a kind, without their conditions. */
const SOURCES: Readonly<Record<LeafKind, (sql: Sql, table: Fragment) => Fragment[]>> = {
  observation: (sql, table) => [said(sql, table), said(sql, sql`withdrawals`)],
  withdrawal: (sql) => [
    sql`
      select o.id, extract(epoch from o.effective_from) * 1000 as effective_ms,
        ${written(sql, sql`o.withdrawn_at`)} as withdrawn_at, o.reason
      from withdrawals o`,
  ],
  reference: (sql) => [
    sql`
      select o.id, null as effective_ms, s.source, o.currency, o.per_usd::text as per_usd,
        o.basis, o.dispersion_bps, ${written(sql, sql`o.fetched_at`)} as fetched_at,
        ${written(sql, sql`s.upstream_at`)} as upstream_at,
        ${written(sql, sql`s.recorded_at`)} as recorded_at
      from reference_rates o join reference_snapshots s on s.id = o.snapshot_id`,
  ],
  catalogue: (sql) => [
    sql`
      select o.id, null as effective_ms, o.kind as "table", o.name, (
          select jsonb_object_agg(key, case jsonb_typeof(value)
            when 'number' then to_jsonb(value::text) else value end)
          from jsonb_each(o.row) where value <> 'null'
        ) as row, case when isfinite(o.since) then ${written(sql, sql`o.since`)} end as since
      from catalogue_history o`,
  ],
}

function leafRowOf(kind: LeafKind, { id: text, effective_ms: ms, ...row }: SourceRow): LeafRow {
  const id = Number(text)
  const effectiveMs = ms === null ? null : Number(ms)
  return { id, effectiveMs, entry: { kind, id, ...row } }
}
