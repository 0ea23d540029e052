import type { Log } from '~/log.ts'
import type { Refresher } from './refresh.ts'

/**
 * Compares memory with the database by loading everything again, and logs it if memory lacked a
 * row.
 */
export async function recheck(refresher: Refresher, log: Log): Promise<void> {
  const hadMissed = await refresher.reload()
  if (hadMissed) log.info({}, 'memory lacked rows that the database has; they are loaded now')
}
