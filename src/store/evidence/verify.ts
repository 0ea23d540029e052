import { checkTree, hashesOf } from '~/evidence/check.ts'
import { isEqual } from '~/evidence/span.ts'
import { TILE_WIDTH, widthIn } from '~/evidence/tile.ts'
import { leafHash } from '~/evidence/tree.ts'
import type { Database } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import {
  LEAF_KINDS,
  LEAF_TABLES,
  type LeafKind,
  lastIdOf,
  leafKey,
  leafOfKey,
  type Reading,
} from './leaf-rows.ts'
import { checkpointIn, entriesOfLeaves } from './log-store.ts'
import { type Bundle, bundlesFrom, lastSealed, sealedAmong, tileAt } from './log-tree.ts'

/** The number of bundles that are read at once. */
const BUNDLES_AT_ONCE = 20
const IDS_AT_ONCE = 10_000

type Ask = {
  /** Only leaves sealed and rows recorded from then on are compared; null for all. */
  readonly sinceMs: number | null
  /** Reports whether a note has a valid signature of the log. */
  isSigned(note: string): Promise<boolean>
  /** Hears what is wrong, in words that name the row or the tile. */
  onFault(fault: string): void
  reach?(done: number, all: number): void
}

type Verified = {
  /** The number of leaves that were compared with their rows. */
  readonly leaves: number
  /** The number of these that are of pruned rows. */
  readonly pruned: number
  /** The number of rows that are still to be sealed. */
  readonly waiting: number
}

/**
 * Computes the leaves again from their rows and compares them with the tiles, the tiles with each
 * other and with the newest checkpoint, and looks for rows that the log lacks; all as of one
 * moment.
 */
export async function verifyLog({ sql }: Pick<Database, 'sql'>, ask: Ask): Promise<Verified> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const reading = { sql, tx }
    const [head] = await tx<{ note: string }[]>`
      select note from log_checkpoints order by id desc limit 1`
    const tree = head ? checkpointIn(head.note) : null
    if (head && (!tree || !(await ask.isSigned(head.note))))
      ask.onFault('the checkpoint is not signed by the key of the log')
    const compared = tree ? await compareRows(reading, tree.size, ask) : { leaves: 0, pruned: 0 }
    const tileOf = (level: number, index: number, width: number) =>
      tileAt(tx, { level, index, width })
    if (tree) await checkTree(tree, tileOf, ask.onFault)
    return { ...compared, waiting: await lookForRows(reading, ask) }
  }) as Promise<Verified>
}

async function compareRows(reading: Reading, size: number, ask: Ask) {
  const prunedMs = await prunedBeforeMs(reading)
  const first = Math.floor((await sizeBefore(reading, ask.sinceMs)) / TILE_WIDTH)
  const end = Math.ceil(size / TILE_WIDTH)
  let [leaves, pruned] = [0, 0]
  for (let index = first; index < end; index += BUNDLES_AT_ONCE) {
    const all = await bundlesFrom(reading.tx, index, BUNDLES_AT_ONCE)
    const bundles = all.filter((one) => one.index < Math.min(end, index + BUNDLES_AT_ONCE))
    if (bundles.length < Math.min(BUNDLES_AT_ONCE, end - index))
      ask.onFault(`rows of log_leaves are missing from ${index} on`)
    const entries = await entriesOfLeaves(
      reading,
      bundles.flatMap((bundle) => bundle.leaves),
    )
    for (const bundle of bundles) {
      const own = entries.splice(0, bundle.leaves.length)
      const mayLack = bundle.oldestMs !== null && bundle.oldestMs < prunedMs
      pruned += await compareBundle(reading, { bundle, entries: own, mayLack, size }, ask)
      leaves += own.length
    }
    ask.reach?.(Math.min(index + BUNDLES_AT_ONCE, end) - first, end - first)
  }
  return { leaves, pruned }
}

/** The number of leaves that had been sealed before a time. */
async function sizeBefore({ tx }: Reading, sinceMs: number | null): Promise<number> {
  if (sinceMs === null) return 0
  const [row] = await tx<[{ size: string | number }]>`
    select coalesce(max(size), 0) as size from log_checkpoints
    where sealed_at < ${instantText(sinceMs)}::timestamptz`
  return Number(row.size)
}

/** Before which moment rows may have been pruned; -Infinity if none were. */
async function prunedBeforeMs({ tx }: Reading): Promise<number> {
  const [row] = await tx<[{ ms: string | null }]>`
    select extract(epoch from max(before)) * 1000 as ms from prunings`
  return row.ms === null ? Number.NEGATIVE_INFINITY : Number(row.ms)
}

type Compared = {
  readonly bundle: Bundle
  readonly entries: readonly (Uint8Array | null)[]
  /** Says whether a row may be missing since it was pruned. */
  readonly mayLack: boolean
  readonly size: number
}

/** Compares rows with their tile; answers how many were pruned. */
async function compareBundle({ tx }: Reading, compared: Compared, { onFault }: Ask) {
  const { bundle, entries, mayLack, size } = compared
  const { index, leaves } = bundle
  const tile = await tileAt(tx, { level: 0, index, width: widthIn(size, 0, index) })
  const hashes = tile ? hashesOf(tile) : []
  let pruned = 0
  for (const [i, entry] of entries.entries()) {
    const { kind, id } = leafOfKey(leaves[i]!.key)
    const hash = hashes[i]
    if (entry === null && mayLack) pruned++
    else if (entry === null) onFault(`${kind} ${id} is in the log, but not in the database`)
    else if (hash && !isEqual(leafHash(entry), hash))
      onFault(`${kind} ${id} differs from what was sealed as leaf ${index * TILE_WIDTH + i}`)
  }
  return pruned
}

/** Reports rows that the log lacks; answers how many are still to be sealed. */
async function lookForRows(reading: Reading, { sinceMs, onFault }: Ask): Promise<number> {
  const isPending = await pendingRows(reading)
  let waiting = 0
  for (const kind of LEAF_KINDS) {
    const last = await lastIdOf(reading, kind)
    for (let first = 1; first <= last; ) {
      const ids = await idsFrom(reading, { kind, first, sinceMs })
      if (ids.length === 0) break
      const keys = ids.map((id) => leafKey(kind, id))
      const sealed = await sealedAmong(reading.tx, keys)
      for (const id of ids) {
        if (sealed.has(leafKey(kind, id))) continue
        if (isPending(kind, id)) waiting++
        else onFault(`${kind} ${id} is in the database, but not in the log`)
      }
      first = ids.at(-1)! + 1
    }
  }
  return waiting
}

type IdsAsk = { readonly kind: LeafKind; readonly first: number; readonly sinceMs: number | null }

async function idsFrom({ sql, tx }: Reading, { kind, first, sinceMs }: IdsAsk): Promise<number[]> {
  const [table, time] = LEAF_TABLES[kind]
  const since = sinceMs === null ? sql`` : sql`and ${sql(time)} >= ${instantText(sinceMs)}`
  const rows = await tx<{ id: string | number }[]>`
    select id from ${sql(table)} where id >= ${first} ${since} order by id limit ${IDS_AT_ONCE}`
  return rows.map(({ id }) => Number(id))
}

type Range = { readonly kind: LeafKind; readonly first: number; readonly last: number }

/** Tells of rows whether they wait for the next seal: in the backlog, or in the log of changes. */
async function pendingRows({ tx }: Reading): Promise<(kind: LeafKind, id: number) => boolean> {
  const [state] = await tx<{ position: string; backlog: Range[] }[]>`
    select position, backlog from log_state where position >= 0`
  const changes = await tx<{ kind: LeafKind; ids: string[] | null; ends: string[] | null }[]>`
    select case when withdrawn is not null then 'withdrawal'
        when kind = 'references' then 'reference' else 'observation' end as kind,
      coalesce(withdrawn, ids) as ids, witnesses as ends
    from changes where kind in ('observations', 'references')
      and position > ${state?.position ?? 0}`
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
