/** The longest time that a timer takes; a longer one would be over at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1

const MS_PER_SECOND = 1000
const BACKOFF_MS = 250
/** The longest pause before the next try where no answer came, which costs nothing. */
const UNANSWERED_MS_MAX = 5000
const TOO_MANY_REQUESTS = 429
const UNAVAILABLE = 503
const OF_PROXIES: readonly number[] = [502, UNAVAILABLE, 504]

/** Limits of a client's retries. */
type Patience = {
  readonly retries: number
  /** The longest wait before one more try. */
  readonly waitMsMax: number
}

/** A try that failed. */
type Miss = {
  /** The number of tries that failed before it. */
  readonly earlier: number
  /** `lost` for a connection that was open. */
  readonly code: string
  /** The status of the answer; null without one. */
  readonly status: number | null
  readonly retryAfterSeconds: number | null
  /** Says whether a call that may have been carried out can be made again. */
  readonly isRepeatable: boolean
}

/**
 * The number of milliseconds to wait before the next try; null for none.
 *
 * 429 and 503 are tried again after the time that they name, unless that is too long: a budget that
 * is used up comes back the next day. Where no answer came, or that of a proxy without its service,
 * a call that can be repeated is tried again after a growing pause, but not after a timeout: the
 * caller said how long to wait.
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
 * The seconds that `Retry-After` names, as a number or as a date, which is held against the date of
 * the answer; null without either.
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
