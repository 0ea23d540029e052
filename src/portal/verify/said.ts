import { filled } from '../board/chart-reading.ts'
import type { MessageKey } from '../words/words.ts'

/** Name of a message about the outcome of a check. */
export type FindingKey = Extract<MessageKey, `verify-finding.${string}`>

/** Words for the outcome of a check, in one language. */
export type Said = {
  say(key: FindingKey, values?: Readonly<Record<string, string | number>>): string
  /** A time to the second, in UTC; `written` if it is not a time. */
  timeText(ms: number, written: string): string
}

/** The words of the messages of a page, which have the names of values in braces. */
export function saidIn(messages: Readonly<Record<FindingKey, string>>, locale: string): Said {
  const format = new Intl.DateTimeFormat(locale, {
    ...{ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23', timeZone: 'UTC' },
  })
  return {
    say(key, values = {}) {
      const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
      return filled(messages[key], Object.fromEntries(texts))
    },
    timeText: (ms, written) =>
      Number.isNaN(new Date(ms).getTime()) ? written : `${format.format(ms)} UTC`,
  }
}
