/** The longest delay of a timer; a longer one would fire at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1

const MS_PER_SECOND = 1000
const BACKOFF_MS = 250
/** The longest pause before a retry after no response, which costs nothing. */
const UNANSWERED_MS_MAX = 5000
const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const OF_PROXIES: readonly number[] = [502, UNAVAILABLE, 504]

/** Limits of a client's retries. */
type Patience = {
  readonly retries: number
  /** The longest wait before a retry. */
  readonly waitMsMax: number
}

/** A failed try. */
type Miss = {
  /** The number of failed tries before it. */
  readonly earlier: number
  /** `lost` for a connection that was open. */
  readonly code: string
  /** The status of the response; null without a response. */
  readonly status: number | null
  readonly retryAfterSeconds: number | null
  /** Says whether it is safe to repeat a call that may have been carried out. */
  readonly isRepeatable: boolean
}

/**
 * Returns the number of milliseconds to wait before the next try; null for no retry.
 *
 * 429, and 503 of a call that can be repeated, are retried after their `Retry-After` unless it is
 * too long: a used-up budget is renewed the next day. After no response, or one of a proxy without
 * its service, a call that can be repeated is retried after a growing pause. A timeout is not
 * retried: the caller set the limit.
 */
export function pauseMs(miss: Miss, { retries, waitMsMax }: Patience): number | null {
  const { earlier, code, status, retryAfterSeconds, isRepeatable } = miss
  if (earlier >= retries || code === 'timeout') return null
  const isRefused = status === TOO_MANY_REQUESTS || (status === UNAVAILABLE && isRepeatable)
  if (isRefused && retryAfterSeconds !== null) {
    const namedMs = retryAfterSeconds * MS_PER_SECOND
    return namedMs <= waitMsMax ? namedMs : null
  }
  const mayPass = status === null || OF_PROXIES.includes(status)
  if (!isRepeatable || !mayPass) return null
  const msMax = code === 'lost' ? waitMsMax : Math.min(UNANSWERED_MS_MAX, waitMsMax)
  return Math.min(BACKOFF_MS * 2 ** earlier, msMax)
}

/**
 * The seconds of `Retry-After`, which is a number or a date, compared with the date of the
 * response; null if it is absent or neither.
 */
export function retryAfterSeconds(headers: Headers): number | null {
  const text = headers.get('retry-after')?.trim()
  if (!text) return null
  if (/^\d+$/.test(text)) return Number(text)
  const waitMs = Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(waitMs) ? Math.max(0, Math.ceil(waitMs / MS_PER_SECOND)) : null
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      },
      Math.min(ms, TIMER_MS_MAX),
    )
    signal?.addEventListener('abort', abort, { once: true })
  })
}
