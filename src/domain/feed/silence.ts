import { HOUR_MS } from '~/domain/duration.ts'

/** How regularly a provider sends, by the times in its observations. */
export type Sending = {
  readonly providerId: string
  readonly newestMs: number
  /** The median time between its latest batches; null until there are enough of them. */
  readonly usualIntervalMs: number | null
  /** How many corridors it ever quoted, and for how many it sent a rate in the last 24 hours. */
  readonly corridors: number
  readonly freshCorridors: number
}

/** How many of its usual intervals may pass before a provider counts as silent. */
const INTERVALS_MAX = 3

/** The shortest silence that counts: a feed by the minute may miss an hour. */
const QUIET_MS_MIN = HOUR_MS

/**
 * The moment from which a provider counts as silent; null where its usual interval is not known.
 */
export function silentFromMs({ newestMs, usualIntervalMs }: Sending): number | null {
  if (usualIntervalMs === null) return null
  return newestMs + Math.max(INTERVALS_MAX * usualIntervalMs, QUIET_MS_MIN)
}

export type SendingState = 'sending' | 'silent' | 'unknown'

/** Whether a provider has stopped sending, measured by its usual interval. */
export function sendingStateOf(sending: Sending, nowMs: number): SendingState {
  const fromMs = silentFromMs(sending)
  if (fromMs === null) return 'unknown'
  return nowMs > fromMs ? 'silent' : 'sending'
}
