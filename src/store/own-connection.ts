import postgres from 'postgres'
import type { Sql } from './database.ts'

const CLOSE_SECONDS_MAX = 5

/** Does work on a connection of its own, or on up to `max`, which end with it. */
export async function onOwnConnection<T>(
  sql: Sql,
  work: (own: Sql) => Promise<T>,
  max = 1,
): Promise<T> {
  const own = ownConnection(sql, max)
  try {
    return await work(own)
  } finally {
    await own.end({ timeout: CLOSE_SECONDS_MAX })
  }
}

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
