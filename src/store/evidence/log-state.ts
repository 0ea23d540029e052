import type { SealPass } from '~/evidence/checkpoint.ts'
import { isEqual } from '~/evidence/span.ts'
import type { Sql, TransactionSql } from '~/store/database.ts'
import { LEAF_KINDS, type LeafKind, lastIdOf } from './leaf-rows.ts'
import { storedRoot } from './log-tree.ts'

/** The position of a log that has a name and nothing else yet. */
export const NOT_BEGUN = -1

/** Rows of a kind that are sealed by their ids, as the log of changes does not list them. */
export type Range = { readonly kind: LeafKind; readonly first: number; readonly last: number }

export type State = {
  readonly origin: string
  readonly origins: number
  readonly size: number
  readonly position: number
  readonly backlog: readonly Range[]
  readonly server: string
}

type Known = Pick<SealPass, 'published' | 'isBehind'>

/** The origin of the newest checkpoint; null before the first. */
export async function lastOrigin(tx: TransactionSql): Promise<string | null> {
  const [row] = await tx<{ origin: string }[]>`
    select split_part(note, E'\n', 1) as origin from log_checkpoints order by id desc limit 1`
  return row?.origin ?? null
}

/** The server, the database and the table, which no restored copy shares. */
export async function serverName(tx: Sql | TransactionSql): Promise<string> {
  const [row] = await (tx as Sql)<[{ name: string }]>`
    select system_identifier || '/' || (select oid from pg_database
      where datname = current_database()) || '/' || 'log_state'::regclass::oid as name
    from pg_control_system()`
  return row.name
}

type First = { readonly origin: string; readonly server: string }

/** Returns the state, or its beginning if nothing was sealed yet. */
export async function stateOf(sql: Sql, tx: TransactionSql, first: First): Promise<State> {
  const [row] = await tx<(State & { size: string; position: string })[]>`
    select origin, origins, size, position, backlog, server from log_state for update`
  const isBegun = row && Number(row.position) !== NOT_BEGUN
  if (isBegun) return { ...row, size: Number(row.size), position: Number(row.position) }
  const [end] = await tx<[{ position: string }]>`
    select coalesce(max(position), 0) as position from changes`
  const backlog: Range[] = []
  for (const kind of LEAF_KINDS) backlog.push(...(await wholeRange(sql, tx, kind)))
  const origin = row?.origin ?? first.origin
  return { ...first, origin, origins: 1, size: 0, position: Number(end.position), backlog }
}

export async function wholeRange(sql: Sql, tx: TransactionSql, kind: LeafKind): Promise<Range[]> {
  const last = await lastIdOf({ sql, tx }, kind)
  return last > 0 ? [{ kind, first: 1, last }] : []
}

export const save = (tx: TransactionSql, state: State) => tx`
  insert into log_state (origin, origins, size, position, backlog, server) values
    (${state.origin}, ${state.origins}, ${state.size}, ${state.position},
      ${JSON.stringify(state.backlog)}::jsonb, ${state.server})
  on conflict (is_only) do update set origin = excluded.origin, origins = excluded.origins,
    size = excluded.size, position = excluded.position, backlog = excluded.backlog,
    server = excluded.server`

/**
 * The state, under another origin if the database may lack leaves published under the last one: it
 * is a copy, or does not begin with the tree that this process or a witness saw. A copy takes its
 * whole log of changes: the positions of another server may be far ahead of its own.
 */
export async function inOrder(
  tx: TransactionSql,
  state: State,
  { known, server }: { known: Known; server: string },
): Promise<State> {
  if (state.size === 0 && !known.published) return { ...state, server }
  const isCopy = state.server !== server
  if (!isCopy && !known.isBehind && !(await lacks(tx, state, known.published))) return state
  const origins = Math.max(state.origins, originNumber(known.published?.origin ?? '')) + 1
  const base = state.origin.replace(NUMBER, '')
  const position = isCopy ? 0 : state.position
  return { ...state, origins, origin: `${base}/${origins}`, position, server }
}

/** The number in the name of the second and later origins of a log. */
const NUMBER = /\/(\d+)$/
const originNumber = (origin: string): number => Number(NUMBER.exec(origin)?.[1] ?? 1)

/** Reports whether a published tree is not the beginning of the stored one. */
async function lacks(tx: TransactionSql, state: State, published: Known['published']) {
  if (!published || originNumber(published.origin) < state.origins) return false
  if (originNumber(published.origin) > state.origins || published.size > state.size) return true
  return !isEqual(await storedRoot(tx, published.size), published.root)
}
