import type { Database } from './database.ts'
import { onOwnConnection } from './own-connection.ts'

/**
 * Runs work unless another process is doing work of this name; null if one is, without waiting for
 * it. A process that dies releases the name.
 */
export const once = <T>(
  { sql }: Pick<Database, 'sql'>,
  name: string,
  work: () => Promise<T>,
): Promise<T | null> =>
  onOwnConnection(sql, async (own) => {
    const [lock] = await own`select pg_try_advisory_lock(hashtext(${name})) as is_ours`
    return lock?.is_ours ? work() : null
  })
