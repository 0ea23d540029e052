import { HOUR_MS } from '~/domain/duration.ts'
import { type Habit, type SendingState, sendingStateOf } from '~/domain/feed/silence.ts'
import type { SourceRecord } from './state.ts'
import { missedDays } from './turn.ts'

/** The time by which a bank may be late with its rates. */
const PATIENCE_MS = 3 * HOUR_MS

/**
 * Reports whether a provider sends. One whose rates are fetched from a bank is measured by the
 * bank's days of publication, any other by its own habit.
 */
export function providerStateOf(
  habit: Habit,
  bank: SourceRecord | undefined,
  nowMs: number,
): SendingState {
  if (!bank) return sendingStateOf(habit, nowMs)
  const missed = missedDays({ ...bank, gaps: [] }, nowMs - PATIENCE_MS)
  return missed === null || missed === 0 ? 'sending' : 'silent'
}
