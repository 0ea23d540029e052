import { bundleOf } from '~/evidence/bundle.ts'
import { entryBytes } from '~/evidence/entry.ts'
import { consistencySpans, inclusionSpans, type Span } from '~/evidence/span.ts'
import { TILE_WIDTH } from '~/evidence/tile.ts'
import { spanHash } from '~/evidence/tree.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import {
  type LeafKind,
  type LeafRow,
  leafKey,
  leafOfKey,
  leafRows,
  type Reading,
} from './leaf-rows.ts'
import { NOT_BEGUN, serverName } from './log-state.ts'
import { type Bundle, bundlesFrom, leafIndexOf, storedHashes, tileAt } from './log-tree.ts'

/** The verifiable log, except for sealing it. */
export function createLogStore(database: Database) {
  const { sql } = database
  const reading = { sql, tx: sql }
  return {
    ...writesOf(database),
    ...changesIn(database),
    server: () => serverName(sql),
    async head() {
      const [row] = await sql<{ note: string; ms: string }[]>`
        select note, extract(epoch from sealed_at) * 1000 as ms from log_checkpoints
        order by id desc limit 1`
      return row ? { note: row.note, sealedMs: Number(row.ms) } : null
    },
    ...proofsOf(database),
    /** The number of leaves that had been sealed at a time, as far as checkpoints are retained. */
    async sizeAt(ms: number) {
      const [row] = await sql<[{ size: string | number }]>`
        select coalesce(max(size), 0) as size from log_checkpoints
        where sealed_at <= ${instantText(ms)}::timestamptz`
      return Number(row.size)
    },
    tile: (level: number, index: number, width: number) => tileAt(sql, { level, index, width }),
    async entries(index: number, width: number) {
      const [bundle] = await bundlesFrom(sql, index, 1)
      if (bundle?.index !== index || bundle.leaves.length < width) return null
      const leaves = bundle.leaves.slice(0, width)
      const entries = await entriesOfLeaves(reading, leaves)
      return entries.includes(null) ? null : bundleOf(entries as Uint8Array[])
    },
    async has(kind: LeafKind, id: number) {
      return (await leafRows(reading, kind, { ids: [id] })).length > 0
    },
    indexOf: (kind: LeafKind, id: number) => leafIndexOf(sql, leafKey(kind, id)),
    async entryAt(index: number) {
      const [bundle] = await bundlesFrom(sql, Math.floor(index / TILE_WIDTH), 1)
      const leaf = bundle?.leaves[index % TILE_WIDTH]
      return leaf ? (await entriesOfLeaves(reading, [leaf]))[0]! : null
    },
  }
}

function proofsOf({ sql }: Pick<Database, 'sql'>) {
  const hashes = (spans: readonly Span[], size: number): Promise<Uint8Array[]> => {
    const read = storedHashes(sql, size)
    return Promise.all(spans.map((span) => spanHash(span, read)))
  }
  return {
    inclusion: (index: number, size: number) => hashes(inclusionSpans(index, size), size),
    consistency: (from: number, to: number) => hashes(consistencySpans(from, to), to),
  }
}

const changesIn = ({ sql }: Pick<Database, 'sql'>) => ({
  /** The number of the newest change of an entry or a methodology version; null without one. */
  async lastChange(name: string) {
    const [row] = await sql<{ id: string | number }[]>`
      select id from catalogue_history
      where kind in ('currencies', 'providers', 'methodology') and name = ${name}
      order by id desc limit 1`
    return row ? Number(row.id) : null
  },
})

const writesOf = ({ sql }: Pick<Database, 'sql'>) => ({
  async cosign(note: string, cosigned: string) {
    await sql`update log_checkpoints set note = ${cosigned} where note = ${note}`
  },
  /** Notes in the history of the catalogue each version of the methodology that it lacks. */
  async noteMethodology(versions: readonly { readonly name: string; readonly row: object }[]) {
    const said = JSON.stringify(versions)
    await sql`
      insert into catalogue_history (kind, name, row, since)
      select 'methodology', said.name, said.row, catalogue_time()
      from jsonb_to_recordset(${said}::text::jsonb) as said (name text, row jsonb)
      where said.row is distinct from (
        select last.row from catalogue_history last
        where last.kind = 'methodology' and last.name = said.name order by id desc limit 1
      )
      order by said.name`
  },
  /** Signs under another origin from the next seal on. */
  async rename(origin: string) {
    await sql`
      insert into log_state (origin, origins, size, position, backlog, server)
      values (${origin}, 1, 0, ${NOT_BEGUN}, '[]', '')
      on conflict (is_only) do update set origin = excluded.origin, origins = 1`
  },
  async origin() {
    const [row] = await sql<{ origin: string }[]>`select origin from log_state`
    return row?.origin ?? null
  },
})

/** The entries of leaves, in order; null for those whose rows are gone. */
export async function entriesOfLeaves(
  reading: Reading,
  leaves: Bundle['leaves'],
): Promise<(Uint8Array | null)[]> {
  const rows = new Map<number, LeafRow>()
  for (const [kind, own] of Map.groupBy(leaves, ({ key }) => leafOfKey(key).kind)) {
    const ids = own.map(({ key }) => leafOfKey(key).id)
    for (const row of await leafRows(reading, kind, { ids })) rows.set(leafKey(kind, row.id), row)
  }
  return leaves.map(({ key, salt }) => {
    const row = rows.get(key)
    return row ? entryBytes(row.entry, salt) : null
  })
}
