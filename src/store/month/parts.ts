import type { Sql } from '~/store/database.ts'

/** The number of parts from which opening few of them costs less than a plan for all. */
const PARTS_MIN = 8
/** The maximum number of times that the result is used before it is looked up again. */
const USES_MAX = 1000

type Known = { readonly are: Promise<boolean>; uses: number }

const known = new WeakMap<Sql, Known>()

/** Reports whether observations are in many months, as far as this pool read recently. */
export function areManyMonths(sql: Sql): Promise<boolean> {
  const found = known.get(sql)
  if (found && found.uses++ < USES_MAX) return found.are
  const are = areMany(sql)
  known.set(sql, { are, uses: 1 })
  are.catch(() => known.delete(sql))
  return are
}

/** Passes the pool's cached result on to one of its transactions. */
export function remembersMonths(tx: Sql, are: boolean): void {
  known.set(tx, { are: Promise.resolve(are), uses: 1 })
}

async function areMany(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ parts: number }]>`
    select count(*)::int as parts from pg_inherits
    where inhparent = to_regclass('public.observations')`
  return row.parts >= PARTS_MIN
}
