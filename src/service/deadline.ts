import { ServiceError } from '~/domain/errors.ts'

/**
 * What `work` comes to, or `database_unavailable` with `message` after `msMax` milliseconds. The
 * work itself goes on all the same.
 */
export async function inTime<T>(
  work: Promise<T>,
  { msMax, message }: { msMax: number; message: string },
): Promise<T> {
  const { promise: overdue, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new ServiceError('database_unavailable', message))
  const timer = setTimeout(giveUp, msMax)
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
  }
}
