import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import { type Archive, archivedMonths } from './archive/archived.ts'
import type { Database, Sql } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'
import { areManyMonths } from './month/parts.ts'

/** A corridor as statements name it. */
export type Place = {
  readonly corridor: Corridor
  readonly corridorId: number
  /** Says whether its rows lie on a worker of a Citus cluster. */
  readonly isDistributed: boolean
  /** Says whether its rows are in many months. */
  readonly isLong: boolean
  /** Says whether the tables are those of an earlier time. */
  readonly isThen: boolean
  /** The archived months; none if absent. */
  readonly archive?: Archive
}

const REMEMBERED_MAX = 50_000

const remembered = new WeakMap<object, Map<string, number>>()

/**
 * The rows of a statement about one corridor, which identifies the corridor by its id; none if no
 * provider ever quoted it.
 *
 * Ids are remembered for each handle of a database. A statement must contain `isCorridor` or
 * `checkedId`, so that a stale id, as after a failover that lost it, finds nothing; then the id is
 * looked up again.
 */
export async function rowsOf<T>(
  database: Database,
  corridor: Corridor,
  statement: (place: Place) => PromiseLike<readonly T[]>,
): Promise<readonly T[]> {
  const corridors = knownOf(database)
  const key = corridorKey(corridor)
  const known = corridors.get(key)
  const ask = async (corridorId: number) =>
    statement({
      corridor,
      corridorId,
      isDistributed: await isDistributed(database.sql),
      isLong: await areManyMonths(database.sql),
      isThen: database.knownMs !== undefined,
      archive: await archivedMonths(database.sql),
    })
  const rows = known === undefined ? [] : await ask(known)
  if (rows.length > 0) return rows
  const found = await lookedUp(database, corridor)
  if (found === known) return rows
  corridors.delete(key)
  if (found === undefined) return []
  if (corridors.size >= REMEMBERED_MAX) corridors.clear()
  corridors.set(key, found)
  return ask(found)
}

/** Shares the corridor ids remembered by one handle of a database with another. */
export function remembersCorridors(handle: object, of: object): void {
  remembered.set(handle, knownOf(of))
}

/** Reports whether the row of corridors `c` has both the id and the name of a corridor. */
export const isCorridor = (sql: Sql, { corridorId, corridor: { from, to } }: Place) =>
  sql`c.id = ${corridorId} and c.source = ${from} and c.target = ${to}`

/** The id of a corridor, or null if it is that of another. */
export const checkedId = (sql: Sql, place: Place) =>
  sql`(select id from corridors c where ${isCorridor(sql, place)})`

async function lookedUp({ sql }: Database, { from, to }: Corridor): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from corridors where source = ${from} and target = ${to}`
  return row?.id
}

const knownOf = (database: object): Map<string, number> =>
  remembered.getOrInsertComputed(database, () => new Map())
