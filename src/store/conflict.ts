const TRIES_MAX = 3

/** Rolled back to let another transaction go on: a deadlock, or an order that cannot be had. */
const CONFLICTS = new Set(['40P01', '40001'])

/**
 * The same work, done again where the server rolled it back for another's sake, as it may do while
 * a migration takes its locks. The work has to be one transaction.
 */
export async function persevering<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES_MAX || !CONFLICTS.has(String((error as { code?: unknown }).code)))
        throw error
    }
}
