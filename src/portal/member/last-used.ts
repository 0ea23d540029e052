import { DAY_MS } from '~/domain/duration.ts'
import type { Words } from '~/portal/words/words.ts'
import { type KeyUsage, SHOWN_DAYS } from '~/service/own-usage.ts'

const FORGOTTEN_MS = (SHOWN_DAYS - 1) * DAY_MS

/** The time when a key was last used, as far as usage is stored. */
export function lastUsedText(
  { say, dayText }: Words,
  { key, lastDay, days }: KeyUsage,
  nowMs: number,
): string {
  if (lastDay === null)
    return say(nowMs - key.createdMs < FORGOTTEN_MS ? 'alert.not-yet' : 'last-used.long')
  if (days.at(-1)! > 0) return say('last-used.today')
  const isYesterday = lastDay === Math.floor(nowMs / DAY_MS) - 1
  return isYesterday ? say('last-used.yesterday') : dayText(lastDay * DAY_MS)
}
