import { AHEAD_MS_MAX, DAY_MS } from '~/domain/duration.ts'
import { FeedError, type FeedFault } from './feed.ts'

/** History of requests to an upstream over all runs. */
export type Attempts = {
  readonly triedMs: number | null
  readonly succeededMs: number | null
  /** The time of the last failure; unchanged by a success. */
  readonly failedMs: number | null
  readonly fault: FeedFault | null
  /** The reason of the failure, as a public string that follows the upstream's name. */
  readonly message: string | null
  readonly isFailing: boolean
  /** The time before which it is not queried again. */
  readonly waitUntilMs: number | null
}

export const NO_ATTEMPTS: Attempts = {
  triedMs: null,
  succeededMs: null,
  failedMs: null,
  fault: null,
  message: null,
  isFailing: false,
  waitUntilMs: null,
}

/** The longest that an upstream's request to wait is honoured. */
const WAIT_MS_MAX = DAY_MS

/** Changes after a success. */
export const succeeded = (nowMs: number) => ({
  triedMs: nowMs,
  succeededMs: nowMs,
  isFailing: false,
  waitUntilMs: null,
})

/** The error of an attempt, and the wait that the upstream asks for. */
export type Failure = Pick<Attempts, 'fault' | 'message'> & { readonly retryAfterMs: number | null }

export const failed = ({ fault, message, retryAfterMs }: Failure, nowMs: number) => ({
  triedMs: nowMs,
  failedMs: nowMs,
  fault,
  message,
  isFailing: true,
  waitUntilMs: retryAfterMs && nowMs + Math.min(retryAfterMs, WAIT_MS_MAX),
})

/** The time at which something ran; null for one to come, from before a clock was turned back. */
export const ranBefore = (ranMs: number | null, nowMs: number): number | null =>
  ranMs !== null && ranMs <= nowMs + AHEAD_MS_MAX ? ranMs : null

/**
 * Reports whether the upstream asked not to be called yet; a longer wait than the longest was asked
 * for before a clock was turned back.
 */
export function isWaiting({ waitUntilMs }: Attempts, nowMs: number): boolean {
  const leftMs = (waitUntilMs ?? 0) - nowMs
  return leftMs > 0 && leftMs <= WAIT_MS_MAX + AHEAD_MS_MAX
}

/** Throws a FeedError while the upstream asked not to be called yet. */
export function refuseWaiting(attempts: Attempts, nowMs: number): void {
  if (!isWaiting(attempts, nowMs)) return
  const until = new Date(attempts.waitUntilMs!).toISOString()
  throw new FeedError('rate_limited', `asked for no requests before ${until}`)
}
