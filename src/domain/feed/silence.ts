import { HOUR_MS } from '~/domain/duration.ts'

/** How a provider has been sending, by the times that its observations name. */
export type Sending = {
  readonly providerId: string
  readonly newestMs: number
  /** The median time between two of its latest sendings; null before there are enough of them. */
  readonly usualIntervalMs: number | null
  /** Corridors it ever quoted, and those that it sent a rate for in the last 24 hours. */
  readonly corridors: number
  readonly freshCorridors: number
}

/** So many of its own intervals may pass before a provider counts as silent. */
const INTERVALS_MAX = 3

/** Nobody is silent sooner: a feed by the minute may miss an hour. */
const QUIET_MS_MIN = HOUR_MS

/** From when on a provider counts as silent; null where its habit is not known. */
export function silentFromMs({ newestMs, usualIntervalMs }: Sending): number | null {
  if (usualIntervalMs === null) return null
  return newestMs + Math.max(INTERVALS_MAX * usualIntervalMs, QUIET_MS_MIN)
}

export type Voice = 'sending' | 'silent' | 'unknown'

/** Whether a provider has stopped sending, measured by its own habit. */
export function voiceOf(sending: Sending, nowMs: number): Voice {
  const fromMs = silentFromMs(sending)
  if (fromMs === null) return 'unknown'
  return nowMs > fromMs ? 'silent' : 'sending'
}
