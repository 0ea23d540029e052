import { ServiceError } from '~/domain/errors.ts'

/** The longest that a caller is kept waiting for the database. */
export const ANSWER_MS_MAX = 10_000

/**
 * The result of `work`, or `database_unavailable` with `message` after `msMax` milliseconds. The
 * work itself continues.
 */
export async function inTime<T>(
  work: Promise<T>,
  { msMax, message }: { msMax: number; message: string },
): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  const giveUp = () => {
    const late = new ServiceError('database_unavailable', message)
    late.cause = new Error(`no answer from the database within ${msMax} ms`)
    reject(late)
  }
  const timer = setTimeout(giveUp, msMax)
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
