import type { Database } from './database.ts'
import { ownConnection } from './own-connection.ts'

const CLOSE_SECONDS_MAX = 5

/**
 * Does the work unless another process is doing work of this name; null if one is, without waiting
 * for it. A process that dies releases the name.
 */
export async function once<T>(
  { sql }: Pick<Database, 'sql'>,
  name: string,
  work: () => Promise<T>,
): Promise<T | null> {
  const own = ownConnection(sql)
  try {
    const [lock] = await own`select pg_try_advisory_lock(hashtext(${name})) as is_ours`
    return lock?.is_ours ? await work() : null
  } finally {
    await own.end({ timeout: CLOSE_SECONDS_MAX })
  }
}
