import { DAY_MS } from '~/domain/duration.ts'
import { dayText } from '~/portal/format.ts'
import { type KeyUsage, SHOWN_DAYS } from '~/service/own-usage.ts'

const FORGOTTEN_MS = (SHOWN_DAYS - 1) * DAY_MS

/** The time when a key was last used, as far as usage is kept. */
export function lastUsedText({ key, lastDay, days }: KeyUsage, nowMs: number): string {
  if (lastDay === null) return nowMs - key.createdMs < FORGOTTEN_MS ? 'not yet' : 'not in 30 days'
  if (days.at(-1)! > 0) return 'today'
  return lastDay === Math.floor(nowMs / DAY_MS) - 1 ? 'yesterday' : dayText(lastDay * DAY_MS)
}
