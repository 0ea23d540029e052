/** A statement was broken off for the sake of another: a deadlock, or a standby's replay. */
const BROKEN_OFF = new Set(['40P01', '40001'])
const RUNS_MAX = 3

type Failure = { readonly code?: string; readonly cause?: Failure } | null | undefined

/** Whether nothing was done, and the same may succeed at once. */
export function wasBrokenOff(error: unknown): boolean {
  const failure = error as Failure
  return BROKEN_OFF.has(failure?.code ?? '') || BROKEN_OFF.has(failure?.cause?.code ?? '')
}

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
