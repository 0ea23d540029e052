import { randomBytes } from 'node:crypto'
import { entryBytes, SALT_BYTES } from '~/evidence/entry.ts'
import { leafHash } from '~/evidence/tree.ts'
import { type ChangeRow, changeColumns } from '~/store/change/change-store.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { LEAF_KINDS, type LeafRow, leafKey, leafOfKey, leafRows } from './leaf-rows.ts'
import { type Range, type State, wholeRange } from './log-state.ts'
import { lastSealed, type NewLeaf, sealedAmong } from './log-tree.ts'

/** The number of rows read at once, so that the process's other work goes on in between. */
const CHUNK_ROWS = 1000
const CHANGES_AT_ONCE = 500

/** Takes the rows of a pass, in order. */
export class Taking {
  readonly leaves: NewLeaf[] = []
  readonly hashes: Uint8Array[] = []
  isMore = false
  readonly #keys = new Set<number>()
  #backlog: readonly Range[]
  #position: number

  constructor(
    readonly sql: Sql,
    readonly tx: TransactionSql,
    private readonly before: State,
    private readonly bounds: { readonly leavesMax: number; readonly ending: AbortSignal },
  ) {
    this.#backlog = before.backlog
    this.#position = before.position
  }

  get state(): State {
    return { ...this.before, position: this.#position, backlog: this.#backlog }
  }

  get hasMoved(): boolean {
    return this.#position !== this.before.position || this.#backlog !== this.before.backlog
  }

  async run(): Promise<void> {
    if (await this.#hasGap()) await this.#takeAll()
    while (!this.isMore && (await this.#step()))
      this.isMore = this.#room === 0 || this.bounds.ending.aborted
  }

  get #room(): number {
    return this.bounds.leavesMax - this.leaves.length
  }

  /** Reports whether the log of changes has lost rows that were not sealed yet. */
  async #hasGap(): Promise<boolean> {
    if (this.before.size === 0) return false
    const [row] = await this.tx<[{ is_there: boolean }]>`
      select exists (select from changes where position <= ${this.#position})
        or not exists (select from changes) as is_there`
    return !row.is_there
  }

  async #takeAll(): Promise<void> {
    for (const kind of LEAF_KINDS)
      this.#backlog = [...this.#backlog, ...(await wholeRange(this.sql, this.tx, kind))]
    const [end] = await this.tx<[{ position: string }]>`
      select coalesce(max(position), 0) as position from changes`
    this.#position = Number(end.position)
  }

  /** Takes a part of the backlog, or else the next changes; whether there was any. */
  async #step(): Promise<boolean> {
    const [range] = this.#backlog
    if (range) return this.#takeRange(range)
    if (await this.#takeChanges()) return true
    const ranges = await this.#newCatalogue()
    if (ranges.length > 0) this.#backlog = ranges
    return ranges.length > 0
  }

  /**
   * The changes of the catalogue that are not leaves yet, up to those of a position of the log of
   * changes, or all. Those that it does not announce, such as by psql, come at the end of a pass.
   */
  async #newCatalogue(position = Number.MAX_SAFE_INTEGER): Promise<Range[]> {
    const kind = 'catalogue'
    const taken = this.leaves.findLast(({ key }) => leafOfKey(key).kind === kind)
    const sealed = taken ? leafOfKey(taken.key).id : await lastSealed(this.tx, kind)
    const [row] = await this.tx<[{ last: string }]>`
      select coalesce(max(id), 0) as last from catalogue_history where since < coalesce((
        select at - interval '1 ms' from changes where kind = ${kind} and position > ${position}
        order by position limit 1
      ), 'infinity')`
    const last = Number(row.last)
    return last > sealed ? [{ kind, first: sealed + 1, last }] : []
  }

  async #takeRange(range: Range): Promise<boolean> {
    const limit = Math.min(CHUNK_ROWS, this.#room)
    const rows = await leafRows(this, range.kind, { ...range, limit })
    await this.#add(rows.map((row) => ({ key: leafKey(range.kind, row.id), row })))
    const [, ...others] = this.#backlog
    const isDone = rows.length < limit
    const first = (rows.at(-1)?.id ?? range.last) + 1
    this.#backlog = isDone || first > range.last ? others : [{ ...range, first }, ...others]
    return true
  }

  async #takeChanges(): Promise<boolean> {
    const changes = await this.tx<ChangeRow[]>`
      select ${changeColumns(this.sql)} from changes where position > ${this.#position}
      order by position limit ${CHANGES_AT_ONCE}`
    const keys: number[] = []
    let isTaken = false
    for (const change of changes) {
      if (change.unseen === 'open') break
      const ranges = await this.#rangesOf(change)
      const own = ranges.length > 0 ? [] : keysOf(change)
      const isFull = keys.length + own.length > Math.min(CHUNK_ROWS, this.#room)
      if (isFull && keys.length === 0 && this.leaves.length > 0) this.isMore = true
      if (this.isMore || (keys.length > 0 && (isFull || ranges.length > 0))) break
      keys.push(...own)
      isTaken = true
      this.#position = Number(change.position)
      this.#backlog = ranges
      if (ranges.length > 0) break
    }
    await this.#add(await this.#found(keys))
    return isTaken
  }

  /** The rows of a change that does not list them; none for one that does. */
  async #rangesOf(change: ChangeRow): Promise<Range[]> {
    const { kind, ids, witnesses, unseen, withdrawn } = change
    if (ids !== null || withdrawn !== null || unseen === 'aside') return []
    if (kind === 'catalogue') return this.#newCatalogue(Number(change.position))
    if (kind !== 'observations' && kind !== 'references') return []
    const leaf = kind === 'observations' ? 'observation' : 'reference'
    const known = witnesses?.map(Number) ?? []
    if (known.length > 0)
      return [{ kind: leaf, first: Math.min(...known), last: Math.max(...known) }]
    const kinds = leaf === 'reference' ? ([leaf] as const) : ([leaf, 'withdrawal'] as const)
    const ranges = []
    for (const one of kinds) ranges.push(...(await wholeRange(this.sql, this.tx, one)))
    return ranges
  }

  /** Rows in the order of their keys. Those that were deleted since are left out. */
  async #found(keys: readonly number[]) {
    const rows = new Map<number, LeafRow>()
    const byKind = Map.groupBy(keys, (key) => leafOfKey(key).kind)
    for (const [kind, own] of byKind) {
      const ids = own.map((key) => leafOfKey(key).id)
      for (const row of await leafRows(this, kind, { ids })) rows.set(leafKey(kind, row.id), row)
    }
    return keys.flatMap((key) => {
      const row = rows.get(key)
      return row ? [{ key, row }] : []
    })
  }

  async #add(found: readonly { key: number; row: LeafRow }[]): Promise<void> {
    if (found.length === 0) return
    const sealed = await sealedAmong(
      this.tx,
      found.map(({ key }) => key),
    )
    for (const { key, row } of found) {
      if (sealed.has(key) || this.#keys.has(key)) continue
      this.#keys.add(key)
      const salt = randomBytes(SALT_BYTES)
      this.leaves.push({ key, salt, effectiveMs: row.effectiveMs })
      this.hashes.push(leafHash(entryBytes(row.entry, salt)))
    }
  }
}

function keysOf({ kind, ids, withdrawn, unseen }: ChangeRow): number[] {
  if (withdrawn) return withdrawn.map((id) => leafKey('withdrawal', Number(id)))
  if (unseen === 'aside' || ids === null) return []
  if (kind === 'references') return ids.map((id) => leafKey('reference', Number(id)))
  return kind === 'observations' ? ids.map((id) => leafKey('observation', Number(id))) : []
}
