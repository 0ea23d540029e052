import type { Corridor } from '~/domain/corridor.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { dayEndMs, nextDueMs, type SendingDay, weekOf } from './week.ts'

/** The time when something sent last, and its usual interval, by the times of its observations. */
export type Habit = {
  readonly newestMs: number
  /** The median time between its latest sendings; null until there are enough of them. */
  readonly usualIntervalMs: number | null
  /** The number of weekdays on which it never sends; 0 if absent. */
  readonly offDays?: number
  /** Days of the last five weeks, ascending, from which the week is computed. */
  readonly days?: readonly SendingDay[]
}

/** Regularity of a provider's sending for one corridor. */
export type CorridorSending = Habit & Corridor

/** Regularity of a provider's sending. */
export type Sending = Habit & {
  readonly providerId: string
  /** The number of corridors ever quoted, and of those with a rate in the last 24 hours. */
  readonly corridors: number
  readonly freshCorridors: number
  /** The number of its active corridors that are silent by their own habit. */
  readonly silentCorridors: number
  readonly lastSilent: readonly CorridorSending[]
}

/** The rules by which something counts as silent, and by which its silence no longer counts. */
export const SILENCE = {
  /** The number of its usual intervals that may pass before it counts as silent. */
  intervalsMax: 3,
  /** The shortest silence that counts: a feed by the minute may miss an hour. */
  msMin: HOUR_MS,
  /**
   * Bounds past which silence is an end: a provider gave a corridor up, or was one of a sample, and
   * the catalogue cannot say so.
   */
  ended: { intervals: 10, ms: 30 * DAY_MS },
} as const

/**
 * The time from which it counts as silent; null if its usual interval is not known.
 *
 * If it has a regular week, that time is some intervals later on the same day, or else some hours
 * after its usual start on the next of its weekdays. Otherwise intervals and days off are counted.
 */
export function silentFromMs(habit: Habit): number | null {
  const { newestMs, usualIntervalMs, offDays = 0, days = [] } = habit
  if (usualIntervalMs === null) return null
  const toleratedMs = Math.max(SILENCE.intervalsMax * usualIntervalMs, SILENCE.msMin)
  const week = weekOf(days)
  if (week === null) return newestMs + toleratedMs + offDays * DAY_MS
  const fromMs = newestMs + toleratedMs
  return fromMs <= (dayEndMs(week, newestMs) ?? 0) ? fromMs : nextDueMs(week, newestMs)
}

export type SendingState = 'sending' | 'silent' | 'ended' | 'unknown'

/** Reports whether it has stopped sending, measured by its usual interval. */
export function sendingStateOf(habit: Habit, nowMs: number): SendingState {
  const fromMs = silentFromMs(habit)
  if (fromMs === null) return 'unknown'
  if (nowMs <= fromMs) return 'sending'
  return nowMs > endedFromMs(habit) ? 'ended' : 'silent'
}

const endedFromMs = ({ newestMs, usualIntervalMs }: Habit): number =>
  newestMs + Math.max(SILENCE.ended.intervals * (usualIntervalMs ?? 0), SILENCE.ended.ms)

/** The number of silent corridors of a provider that goes on sending; else 0. */
export const silentApart = (sending: Sending, nowMs: number): number =>
  sendingStateOf(sending, nowMs) === 'silent' ? 0 : sending.silentCorridors
