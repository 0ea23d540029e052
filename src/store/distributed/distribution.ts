import type { Sql } from '~/store/database.ts'

const known = new WeakMap<Sql, Promise<boolean>>()

/**
 * Reports whether the observations behind a pool lie on the workers of a Citus cluster. The first
 * call asks the database; the response is remembered for the pool until it is forgotten.
 */
export const isDistributed = (sql: Sql): Promise<boolean> =>
  known.getOrInsertComputed(sql, () => {
    const asked = asksDistributed(sql)
    asked.catch(() => forgetDistribution(sql))
    return asked
  })

/** Passes the pool's cached result on to one of its transactions. */
export function remembersDistribution(tx: Sql, is: boolean): void {
  known.set(tx, Promise.resolve(is))
}

/** Makes the next call query again: the database was lost, and another may have replaced it. */
export function forgetDistribution(sql: Sql): void {
  known.delete(sql)
}

async function asksDistributed(sql: Sql): Promise<boolean> {
  const [extension] = await sql<[{ is_there: boolean }]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as is_there`
  if (!extension.is_there) return false
  const [table] = await sql<[{ is_distributed: boolean }]>`
    select exists (
      select from pg_dist_partition
      where logicalrelid = to_regclass('public.observations') and partmethod = 'h'
    ) as is_distributed`
  return table.is_distributed
}
