import { type Corridor, corridorKey } from '~/domain/corridor.ts'
import type { Database, Sql } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'

/** A corridor as statements name it. */
export type Place = {
  readonly corridor: Corridor
  readonly corridorId: number
  /** Whether its rows lie on a worker of a Citus cluster. */
  readonly isDistributed: boolean
  /** Into how many parts observations were divided when the corridor was looked for. */
  readonly parts: number
}

type Known = Pick<Place, 'corridorId' | 'parts'>

/** How many corridors are remembered of a database. */
const REMEMBERED_MAX = 50_000

const remembered = new WeakMap<object, Map<string, Known>>()

/**
 * The rows of a statement about one corridor, which names it by its id; none where nobody ever
 * quoted it.
 *
 * Ids are remembered for each handle of a database. A statement has to hold `isCorridor` or
 * `checkedId`, so that an id that is not the corridor's any more, as after a failover that lost it,
 * finds nothing; then the id is looked for anew.
 */
export async function rowsOf<T>(
  database: Database,
  corridor: Corridor,
  statement: (place: Place) => PromiseLike<readonly T[]>,
): Promise<readonly T[]> {
  const corridors = knownOf(database)
  const key = corridorKey(corridor)
  const known = corridors.get(key)
  const ask = async (found: Known) =>
    statement({ corridor, ...found, isDistributed: await isDistributed(database.sql) })
  const rows = known ? await ask(known) : []
  if (rows.length > 0) return rows
  const found = await lookedUp(database, corridor)
  if (known && found?.corridorId === known.corridorId) return rows
  corridors.delete(key)
  if (!found) return []
  if (corridors.size >= REMEMBERED_MAX) corridors.clear()
  corridors.set(key, found)
  return ask(found)
}

/** Whether the row of corridors `c` has both the id and the name of a corridor. */
export const isCorridor = (sql: Sql, { corridorId, corridor: { from, to } }: Place) =>
  sql`c.id = ${corridorId} and c.source = ${from} and c.target = ${to}`

/** The id of a corridor, or null where it is that of another. */
export const checkedId = (sql: Sql, place: Place) =>
  sql`(select id from corridors c where ${isCorridor(sql, place)})`

async function lookedUp({ sql }: Database, { from, to }: Corridor): Promise<Known | null> {
  const [[corridor], [division]] = await Promise.all([
    sql<{ id: number }[]>`select id from corridors where source = ${from} and target = ${to}`,
    sql<{ parts: number }[]>`
      select count(*)::int as parts from pg_inherits
      where inhparent = to_regclass('public.observations')`,
  ])
  return corridor ? { corridorId: corridor.id, parts: division?.parts ?? 0 } : null
}

function knownOf(database: object): Map<string, Known> {
  const known = remembered.get(database)
  if (known) return known
  const corridors = new Map<string, Known>()
  remembered.set(database, corridors)
  return corridors
}
