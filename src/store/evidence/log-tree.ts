import { SALT_BYTES } from '~/evidence/entry.ts'
import { HASH_BYTES } from '~/evidence/span.ts'
import { Edge, TILE_WIDTH, type Tile, tileReader, widthIn } from '~/evidence/tile.ts'
import { type HashReader, spanHash } from '~/evidence/tree.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { arrayLiteral, instantText } from '~/store/encoding.ts'
import { IDS, type LeafKind, leafKey, leafOfKey } from './leaf-rows.ts'

type Reader = Sql | TransactionSql

/** The maximum number of tiles that one statement writes: 256 KiB. */
const WRITE_TILES_MAX = 32

/** A tile as it was in a tree of some size; null if it is missing or shorter. */
export async function tileAt(
  sql: Reader,
  { level, index, width }: { level: number; index: number; width: number },
): Promise<Uint8Array | null> {
  const [row] = await (sql as Sql)<{ hashes: Uint8Array }[]>`
    select hashes from log_tiles where level = ${level} and index = ${index}`
  const bytes = width * HASH_BYTES
  return row && row.hashes.length >= bytes ? row.hashes.subarray(0, bytes) : null
}

/** Tiles of leaves from an index on, as they are, by their index. */
export async function leafTiles(sql: Reader, first: number, count: number) {
  const rows = await (sql as Sql)<{ index: string | number; hashes: Uint8Array }[]>`
    select index, hashes from log_tiles
    where level = 0 and index between ${first} and ${first + count - 1}`
  return new Map(rows.map(({ index, hashes }) => [Number(index), hashes]))
}

/** Reads the hashes of the tree of a size; throws if a tile is missing. */
export const storedHashes = (sql: Reader, size: number): HashReader =>
  tileReader(size, async (level, index, width) => {
    const tile = await tileAt(sql, { level, index, width })
    if (!tile) throw new Error(`tile ${index} of level ${level} of the log is missing`)
    return tile
  })

export const storedRoot = (sql: Reader, size: number): Promise<Uint8Array> =>
  spanHash({ start: 0, end: size }, storedHashes(sql, size))

export async function storedEdge(sql: Reader, size: number): Promise<Edge> {
  const partial: Uint8Array[] = []
  for (let level = 0; TILE_WIDTH ** level <= size; level++) {
    const index = Math.floor(size / TILE_WIDTH ** (level + 1))
    const width = widthIn(size, level, index)
    const tile = width === 0 ? new Uint8Array() : await tileAt(sql, { level, index, width })
    if (!tile) throw new Error(`tile ${index} of level ${level} of the log is missing`)
    partial.push(tile)
  }
  return new Edge(size, partial)
}

export async function writeTiles(tx: TransactionSql, tiles: readonly Tile[]): Promise<void> {
  for (let at = 0; at < tiles.length; at += WRITE_TILES_MAX)
    await tx`
      insert into log_tiles ${tx([...tiles.slice(at, at + WRITE_TILES_MAX)])}
      on conflict (level, index) do update set hashes = excluded.hashes`
}

export type NewLeaf = {
  readonly key: number
  readonly salt: Uint8Array
  readonly effectiveMs: number | null
}

/** Notes which rows are behind leaves that are appended at a size. */
export async function writeLeaves(
  tx: TransactionSql,
  size: number,
  leaves: readonly NewLeaf[],
): Promise<void> {
  for (let at = 0; at < leaves.length; ) {
    const index = Math.floor((size + at) / TILE_WIDTH)
    const room = (index + 1) * TILE_WIDTH - (size + at)
    const own = leaves.slice(at, at + room)
    at += own.length
    const keys = arrayLiteral(own.map(({ key }) => key))
    const times = own.flatMap(({ effectiveMs }) => effectiveMs ?? [])
    const oldest = times.length > 0 ? instantText(Math.min(...times)) : null
    await tx`
      insert into log_leaves (index, keys, salts, oldest) values
        (${index}, ${keys}::bigint[], ${Buffer.concat(own.map(({ salt }) => salt))},
          ${oldest}::timestamptz)
      on conflict (index) do update set keys = log_leaves.keys || excluded.keys,
        salts = log_leaves.salts || excluded.salts,
        oldest = least(log_leaves.oldest, excluded.oldest)`
    for (const span of spansOf(own.map(({ key }) => key)))
      await tx`
        insert into log_spans (index, keys) values (${index}, ${span}::int8range)
        on conflict do nothing`
  }
}

/** The ranges of keys, one for each kind. */
function spansOf(keys: readonly number[]): string[] {
  const byKind = Map.groupBy(keys, (key) => leafOfKey(key).kind)
  return [...byKind.values()].map((own) => `[${Math.min(...own)},${Math.max(...own) + 1})`)
}

export async function sealedAmong(sql: Reader, keys: readonly number[]): Promise<Set<number>> {
  const wanted = new Set(keys)
  const sealed = new Set<number>()
  for (const span of spansOf(keys)) {
    const rows = await (sql as Sql)<{ keys: (string | number)[] }[]>`
      select keys from log_leaves where index in (
        select index from log_spans where keys && ${span}::int8range
      )`
    for (const row of rows)
      for (const key of row.keys) if (wanted.has(Number(key))) sealed.add(Number(key))
  }
  return sealed
}

/** The greatest id of a kind among the leaves; 0 without any. */
export async function lastSealed(sql: Reader, kind: LeafKind): Promise<number> {
  const all = `[${leafKey(kind, 0)},${leafKey(kind, IDS)})`
  const [row] = await (sql as Sql)<[{ key: string | number }]>`
    select coalesce(max(upper(keys)) - 1, 0) as key from log_spans where keys && ${all}::int8range`
  return leafOfKey(Number(row.key)).id
}

/** The index of a row among the leaves; null if it is not sealed. */
export async function leafIndexOf(sql: Reader, key: number): Promise<number | null> {
  const [row] = await (sql as Sql)<{ index: string | number; place: number }[]>`
    select index, array_position(keys, ${key}::bigint) as place from log_leaves where index in (
      select index from log_spans where keys @> ${key}::bigint
    ) and ${key}::bigint = any(keys) order by index limit 1`
  return row ? Number(row.index) * TILE_WIDTH + row.place - 1 : null
}

/** The rows and salts of the leaves of a bundle, in order. */
export type Bundle = {
  readonly index: number
  readonly leaves: readonly { readonly key: number; readonly salt: Uint8Array }[]
  readonly oldestMs: number | null
}

export async function bundleKeys(sql: Reader, first: number, last: number) {
  const rows = await (sql as Sql)<{ index: string | number; keys: (string | number)[] }[]>`
    select index, keys from log_leaves where index between ${first} and ${last} order by index`
  return rows.map(({ index, keys }) => ({ index: Number(index), keys: keys.map(Number) }))
}

/** Bundles from an index on, `count` at most. */
export async function bundlesFrom(sql: Reader, index: number, count: number): Promise<Bundle[]> {
  const rows = await (sql as Sql)<
    { index: string | number; keys: (string | number)[]; salts: Uint8Array; ms: string | null }[]
  >`
    select index, keys, salts, extract(epoch from oldest) * 1000 as ms from log_leaves
    where index >= ${index} order by index limit ${count}`
  return rows.map(({ index, keys, salts, ms }) => ({
    index: Number(index),
    oldestMs: ms === null ? null : Number(ms),
    leaves: keys.map((key, i) => ({
      key: Number(key),
      salt: salts.subarray(i * SALT_BYTES, (i + 1) * SALT_BYTES),
    })),
  }))
}
