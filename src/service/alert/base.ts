import type { Watched } from '~/domain/alert/alert.ts'
import { MOVE_PERIODS } from '~/domain/alert/rule.ts'
import { roundAmount } from '~/domain/round.ts'
import type { View } from '~/memory/view.ts'
import { corridorChange } from '~/service/change.ts'
import type { SnapshotDeps } from '~/service/snapshot.ts'
import { undisputedRate } from './value.ts'

/**
 * The value a period ago from which a move is measured, by the rules of `/change`; null without a
 * move, or if no value was known then.
 */
export async function baseOf(
  deps: SnapshotDeps,
  view: View,
  { corridor, when: { op, field, periodMs } }: Watched,
): Promise<number | null> {
  const period = MOVE_PERIODS.get(periodMs)
  if (op !== 'moves_pct' || period === undefined) return null
  const { start } = await corridorChange(deps, view, { ...corridor, period })
  const value = field === 'mid' ? undisputedRate(start.mid) : start.best
  return value === null ? null : roundAmount(value)
}
