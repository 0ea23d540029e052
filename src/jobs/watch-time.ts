import { AHEAD_MS_MAX, MINUTE_MS } from '~/domain/duration.ts'
import { hourStartMs } from '~/domain/freshness.ts'
import type { LiveMemory } from '~/memory/live/live.ts'
import type { Passing } from '~/memory/live/passing.ts'
import type { ChangeStore } from './change-log.ts'
import type { Follower } from './follower.ts'

type WatchDeps = {
  readonly changes: Pick<ChangeStore, 'logTime'>
  readonly live: LiveMemory
  readonly passing: Passing
  readonly follower: Pick<Follower, 'isBehind' | 'isUnchecked' | 'tickMs' | 'caughtUp' | 'lose'>
  readonly clock: { now(): number }
}

type TimeDeps = Pick<WatchDeps, 'changes' | 'clock'> & {
  readonly live: Pick<LiveMemory, 'atMs' | 'position'>
  readonly follower: Pick<Follower, 'caughtUp'>
}

/** Maximum age of the last tick while something is watched. */
const TICK_AGE_MAX_MS = MINUTE_MS

/**
 * Logs that an hour was opened, or that time alone changed a watched value, unless another process
 * has done so. Tries again to follow the log, or to compare memory, if that failed.
 */
export async function watchTime(deps: WatchDeps): Promise<void> {
  const { changes, live, passing, follower, clock } = deps
  if (follower.isBehind || follower.isUnchecked) await follower.caughtUp()
  if (follower.isBehind) return
  const nowMs = clock.now()
  const hourMs = hourStartMs(nowMs)
  const isSetBack = Math.max(live.atMs, live.hourMs ?? 0) > nowMs + AHEAD_MS_MAX
  if (isSetBack) return follower.lose()
  if ((live.hourMs ?? 0) < hourMs) await changes.logTime('hour', hourMs, live.position)
  if (live.watched.size === 0) return
  if (nowMs - Math.min(live.atMs, follower.tickMs) >= TICK_AGE_MAX_MS || passing.isDue(nowMs))
    await changes.logTime('tick', nowMs, live.position)
}

/**
 * Logs and serves a tick unless the last one is recent: the log's time stops while nothing is
 * watched, and what is watched from now on is evaluated by it.
 */
export async function renewTime({ changes, live, follower, clock }: TimeDeps): Promise<void> {
  const nowMs = clock.now()
  if (nowMs - live.atMs < TICK_AGE_MAX_MS / 2) return
  await changes.logTime('tick', nowMs, live.position)
  await follower.caughtUp()
}
