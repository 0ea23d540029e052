import type { Clock } from '~/clock.ts'
import type { Live } from '~/memory/live/live.ts'
import { ageSeconds, counter, type Family, gauge } from './families.ts'

export type LiveSources = {
  readonly live: Pick<Live, 'position'>
  readonly follower: { readonly gaps: number; readonly waitingSinceMs: number | null }
}

/** Position of this process in the log of changes. */
export const liveMetrics = ({ live, follower }: LiveSources, clock: Clock): Family[] => [
  gauge(
    ['changes_position', 'Position in the log of changes, the same in all processes'],
    () => live.position,
  ),
  gauge(
    ['changes_lag_seconds', 'Age of the oldest change that is not applied in order; 0 without any'],
    () => {
      const { waitingSinceMs } = follower
      return waitingSinceMs === null ? 0 : ageSeconds(clock.now(), waitingSinceMs)
    },
  ),
  counter(
    ['changes_gaps_total', 'Times that the log did not show what changed, and all was reloaded'],
    () => follower.gaps,
  ),
]
