import { checkTree, hashesOf } from '~/evidence/check.ts'
import { checkpointIn } from '~/evidence/checkpoint.ts'
import { HASH_BYTES, isEqual } from '~/evidence/span.ts'
import { TILE_WIDTH, widthIn } from '~/evidence/tile.ts'
import { leafHash } from '~/evidence/tree.ts'
import { observationTable } from '~/store/archive/rows.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { KEYS_BLOCK, Keys } from './keys.ts'
import {
  archiveOf,
  doubtfulKeys,
  IDS,
  LEAF_KINDS,
  LEAF_TABLES,
  type LeafKind,
  leafKey,
  leafOfKey,
  type Reading,
} from './leaf-rows.ts'
import { type Range, serverName } from './log-state.ts'
import { entriesOfLeaves } from './log-store.ts'
import { bundleKeys, bundlesFrom, lastSealed, leafTiles, sealedAmong, tileAt } from './log-tree.ts'

const BUNDLES_AT_ONCE = 100

type Ask = {
  /** Only leaves sealed and rows recorded from then on are compared; null for all. */
  readonly sinceMs: number | null
  isSigned(note: string): Promise<boolean>
  /** Receives each error, in words that name the row or the tile. */
  onFault(fault: string): void
  reach?(done: number, all: number): void
}

type Verified = {
  /** The number of leaves that were compared with their rows. */
  readonly leaves: number
  readonly pruned: number
  /** The number of rows that are still to be sealed. */
  readonly waiting: number
}

/**
 * Computes the leaves again from their rows and compares them with the tiles. Compares the tiles
 * with each other and with the newest checkpoint, and looks for rows that the log lacks; all as of
 * one time.
 */
export async function verifyLog({ sql }: Pick<Database, 'sql'>, ask: Ask): Promise<Verified> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const reading = { sql, tx }
    const [head] = await tx<{ note: string }[]>`
      select note from log_checkpoints order by id desc limit 1`
    const tree = head ? checkpointIn(head.note) : null
    if (head && (!tree || !(await ask.isSigned(head.note))))
      ask.onFault('the checkpoint is not signed by the key of the log')
    const seen = new Keys()
    const tileOf = tilesAhead(tx)
    await tx`set local enable_nestloop = off`
    const compared = tree
      ? await compareRows(reading, { size: tree.size, seen, tileOf }, ask)
      : { leaves: 0, pruned: 0 }
    await tx`set local enable_nestloop = on`
    if (tree) await checkTree(tree, tileOf, ask.onFault)
    return { ...compared, waiting: await lookForRows(reading, seen, ask) }
  }) as Promise<Verified>
}

type Log = {
  readonly size: number
  /** Gets the keys of all leaves that are compared. */
  readonly seen: Keys
  readonly tileOf: ReturnType<typeof tilesAhead>
}

async function compareRows(reading: Reading, log: Log, ask: Ask) {
  const prunedMs = await prunedBeforeMs(reading)
  const first = Math.floor((await sizeBefore(reading, ask.sinceMs)) / TILE_WIDTH)
  const end = Math.ceil(log.size / TILE_WIDTH)
  let [leaves, pruned] = [0, 0]
  for (let index = first; index < end; index += BUNDLES_AT_ONCE) {
    const last = Math.min(index + BUNDLES_AT_ONCE, end) - 1
    const bundles = await bundleKeys(reading.tx, index, last)
    if (bundles.length <= last - index)
      ask.onFault(`rows of log_leaves are missing from ${index} on`)
    const keys = bundles.flatMap((bundle) => bundle.keys)
    for (const key of keys) log.seen.add(key)
    leaves += keys.length
    const doubtful = new Set(await doubtfulKeys(reading, { first: index, last }, keys))
    for (const bundle of bundles)
      if (bundle.keys.some((key) => doubtful.has(key)))
        pruned += await compareBundle(reading, bundle.index, { ...log, prunedMs, doubtful }, ask)
    ask.reach?.(last + 1 - first, end - first)
  }
  return { leaves, pruned }
}

const TILES_AT_ONCE = 128

/** Reads tiles of leaves, which are requested in order, many at a time. */
function tilesAhead(tx: Reading['tx']) {
  let kept: { block: number; tiles: Promise<Map<number, Uint8Array>> } | null = null
  return async (level: number, index: number, width: number) => {
    if (level > 0) return tileAt(tx, { level, index, width })
    const block = Math.floor(index / TILES_AT_ONCE)
    if (kept?.block !== block)
      kept = { block, tiles: leafTiles(tx, block * TILES_AT_ONCE, TILES_AT_ONCE) }
    const hashes = (await kept.tiles).get(index)
    const bytes = width * HASH_BYTES
    return hashes && hashes.length >= bytes ? hashes.subarray(0, bytes) : null
  }
}

/** The number of leaves that had been sealed before a time. */
async function sizeBefore({ tx }: Reading, sinceMs: number | null): Promise<number> {
  if (sinceMs === null) return 0
  const [row] = await tx<[{ size: string | number }]>`
    select coalesce(max(size), 0) as size from log_checkpoints
    where sealed_at < ${instantText(sinceMs)}::timestamptz`
  return Number(row.size)
}

/** The time before which rows may have been pruned; -Infinity if none were. */
async function prunedBeforeMs({ tx }: Reading): Promise<number> {
  const [row] = await tx<[{ ms: string | null }]>`
    select extract(epoch from max(before)) * 1000 as ms from prunings`
  return row.ms === null ? Number.NEGATIVE_INFINITY : Number(row.ms)
}

type Doubt = Log & {
  /** Rows from before this time may be missing since they were pruned. */
  readonly prunedMs: number
  readonly doubtful: ReadonlySet<number>
}

/** Compares doubtful rows with their tile; returns the number that were pruned. */
async function compareBundle(reading: Reading, index: number, log: Doubt, { onFault }: Ask) {
  const [bundle] = await bundlesFrom(reading.tx, index, 1)
  const { leaves, oldestMs } = bundle!
  const entries = await entriesOfLeaves(reading, leaves)
  const mayLack = oldestMs !== null && oldestMs < log.prunedMs
  const tile = await log.tileOf(0, index, widthIn(log.size, 0, index))
  const hashes = tile ? hashesOf(tile) : []
  let pruned = 0
  for (const [i, entry] of entries.entries()) {
    const { key } = leaves[i]!
    if (!log.doubtful.has(key)) continue
    if (entry === null) log.seen.delete(key)
    const { kind, id } = leafOfKey(key)
    const hash = hashes[i]
    if (entry === null && mayLack) pruned++
    else if (entry === null) onFault(`${kind} ${id} is in the log, but not in the database`)
    else if (hash && !isEqual(leafHash(entry), hash))
      onFault(`${kind} ${id} differs from what was sealed as leaf ${index * TILE_WIDTH + i}`)
  }
  return pruned
}

/** Reports rows that the log lacks; returns the number that are still to be sealed. */
async function lookForRows(reading: Reading, seen: Keys, { sinceMs, onFault }: Ask) {
  const isPending = await pendingRows(reading)
  let waiting = 0
  for (const kind of LEAF_KINDS)
    for (const first of await blocksToRead(reading, { kind, seen, sinceMs })) {
      const ids = await idsFrom(reading, { kind, first, sinceMs })
      const keys = ids.map((id) => leafKey(kind, id)).filter((key) => !seen.has(key))
      const sealed = keys.length > 0 ? await sealedAmong(reading.tx, keys) : seen
      for (const key of keys) {
        if (sealed.has(key)) continue
        const { id } = leafOfKey(key)
        if (isPending(kind, id)) waiting++
        else onFault(`${kind} ${id} is in the database, but not in the log`)
      }
    }
  return waiting
}

type IdsAsk = { readonly kind: LeafKind; readonly sinceMs: number | null }

/** The blocks of ids of a kind in which the database may have a row that was not seen. */
async function blocksToRead(reading: Reading, ask: IdsAsk & { readonly seen: Keys }) {
  const { sql, tx } = reading
  const { kind, sinceMs, seen } = ask
  const archive = await archiveOf(reading, kind)
  const table = tableOf(sql, { kind, archive, first: 1, last: IDS - 1 })
  const withdrawn = sql`union all select id from withdrawals`
  const rows = await tx<{ block: string | number; count: string | number }[]>`
    select id / ${KEYS_BLOCK}::bigint as block, count(*) as count from (
      select id from ${table} o ${sinceIn(sql, ask)}
      ${kind === 'observation' && sinceMs === null ? withdrawn : sql``}
    ) own group by 1 order by 1`
  const isWhole = ({ block, count }: (typeof rows)[number]) =>
    seen.countIn(Math.floor(leafKey(kind, Number(block) * KEYS_BLOCK) / KEYS_BLOCK)) ===
    Number(count)
  return rows
    .filter((row) => sinceMs !== null || !isWhole(row))
    .map(({ block }) => Number(block) * KEYS_BLOCK)
}

type TableAsk = {
  readonly kind: LeafKind
  readonly archive: Awaited<ReturnType<typeof archiveOf>>
  readonly first: number
  readonly last: number
}

const tableOf = (sql: Reading['sql'], { kind, archive, ...ids }: TableAsk) =>
  archive.size > 0 ? observationTable(sql, archive, ids) : sql`${sql(LEAF_TABLES[kind][0])}`

const sinceIn = (sql: Reading['sql'], { kind, sinceMs }: IdsAsk) =>
  sinceMs === null
    ? sql`where true`
    : sql`where ${sql(LEAF_TABLES[kind][1])} >= ${instantText(sinceMs)}::timestamptz`

/** The ids of a kind in a block, ascending. */
async function idsFrom(reading: Reading, ask: IdsAsk & { readonly first: number }) {
  const { kind, first } = ask
  const last = first + KEYS_BLOCK - 1
  const table = tableOf(reading.sql, { kind, archive: await archiveOf(reading, kind), first, last })
  const rows = await reading.tx<{ id: string | number }[]>`
    select id from ${table} o ${sinceIn(reading.sql, ask)}
      and id between ${first} and ${last} order by id`
  return rows.map(({ id }) => Number(id))
}

/**
 * Returns a check for rows that wait for the next seal, in the backlog or the log of changes; in a
 * copy that sealed nothing yet, all of its own log.
 */
async function pendingRows({ tx }: Reading): Promise<(kind: LeafKind, id: number) => boolean> {
  const [state] = await tx<{ position: string; backlog: Range[]; server: string }[]>`
    select position, backlog, server from log_state where position >= 0`
  const isCopy = state !== undefined && state.server !== (await serverName(tx))
  const changes = await tx<{ kind: LeafKind; ids: string[] | null; ends: string[] | null }[]>`
    select case when withdrawn is not null then 'withdrawal'
        when kind = 'references' then 'reference' else 'observation' end as kind,
      coalesce(withdrawn, ids) as ids, witnesses as ends
    from changes where kind in ('observations', 'references')
      and position > ${state && !isCopy ? state.position : 0}`
  if (!state) return () => true
  const listed = new Set<string>()
  const first = (await lastSealed(tx, 'catalogue')) + 1
  const ranges: Range[] = [
    ...state.backlog,
    { kind: 'catalogue', first, last: Number.POSITIVE_INFINITY },
  ]
  for (const { kind, ids, ends } of changes) {
    for (const id of ids ?? []) listed.add(`${kind} ${id}`)
    const known = ends?.map(Number) ?? [0, Number.POSITIVE_INFINITY]
    if (ids === null) ranges.push({ kind, first: Math.min(...known), last: Math.max(...known) })
  }
  const isBetween = (range: Range, id: number) => range.first <= id && id <= range.last
  return (kind, id) =>
    listed.has(`${kind} ${id}`) ||
    ranges.some((range) => range.kind === kind && isBetween(range, id))
}
