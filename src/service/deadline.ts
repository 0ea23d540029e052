import { type ErrorCode, ServiceError } from '~/domain/errors.ts'

/** The longest time that a caller waits for the database. */
export const ANSWER_MS_MAX = 10_000

type Deadline = {
  readonly msMax: number
  readonly message: string
  /** `database_unavailable` unless said. */
  readonly code?: ErrorCode
  /** The time when to retry; without it, as for every error of this status. */
  readonly retrySeconds?: number
}

/** The result of `work`, or an error with `message` after `msMax`; the work itself continues. */
export async function inTime<T>(work: Promise<T>, deadline: Deadline): Promise<T> {
  const { msMax, message, code = 'database_unavailable', retrySeconds = null } = deadline
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  const giveUp = () => {
    const late = new ServiceError(code, message, {}, retrySeconds)
    late.cause = new Error(`no response from the database within ${msMax} ms`)
    reject(late)
  }
  const timer = setTimeout(giveUp, msMax)
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
