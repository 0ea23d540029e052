import type { Log } from '~/log.ts'
import type { Follower } from './follower.ts'
import type { Refresher } from './refresh.ts'

/**
 * Compares memory with the database by loading everything again, and logs it if memory lacked a
 * row. Followers of the log of changes then check whether it reported that row.
 */
export async function recheck(
  refresher: Refresher,
  log: Log,
  follower?: Pick<Follower, 'check'>,
): Promise<void> {
  const hadMissed = await refresher.reload()
  if (!hadMissed) return
  log.info({}, 'memory lacked rows that the database has; they are loaded now')
  await follower?.check()
}
