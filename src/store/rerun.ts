/** A statement was broken off for the sake of another: a deadlock, or a standby's replay. */
const BROKEN_OFF = new Set(['40P01', '40001'])
const RUNS_MAX = 3

/** Whether nothing was done, and the same may succeed at once. */
export const wasBrokenOff = (error: unknown): boolean =>
  BROKEN_OFF.has((error as { code?: string } | null)?.code ?? '')

/**
 * What `work` comes to, run again where the server broke it off, as it does to one side of a
 * deadlock: with a migration, say. The work must be one statement or transaction.
 */
export async function rerun<T>(work: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++)
    try {
      return await work()
    } catch (error) {
      if (!wasBrokenOff(error) || runs === RUNS_MAX) throw error
    }
}
