import postgres from 'postgres'
import type { Sql } from './database.ts'

/**
 * One more connection to the same database, or up to `max`, outside the pool and never recycled,
 * for a resource of a session such as an advisory lock. The caller has to end it.
 */
export function ownConnection(sql: Sql, max = 1): Sql {
  const { options } = sql
  return postgres({
    ...options,
    shared: { retries: 0, typeArrayMap: {} },
    max,
    idle_timeout: undefined,
    max_lifetime: null,
    silence_timeout: null,
    debug: false,
    onclose: () => {},
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql
}
