/**
 * SQLSTATEs of a statement that was cancelled in favour of another: a deadlock, or a standby's
 * replay.
 */
const BROKEN_OFF = new Set(['40P01', '40001'])
const RUNS_MAX = 3

type Failure = { readonly code?: string; readonly cause?: Failure } | null | undefined

/** Reports whether nothing was done, so that another attempt may succeed at once. */
export function wasBrokenOff(error: unknown): boolean {
  const failure = error as Failure
  return BROKEN_OFF.has(failure?.code ?? '') || BROKEN_OFF.has(failure?.cause?.code ?? '')
}

/**
 * The result of `work`, which is run again if the server cancelled it as one side of a deadlock,
 * for example with a migration. The work must be one statement or transaction.
 */
export async function rerun<T>(work: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs++)
    try {
      return await work()
    } catch (error) {
      if (!wasBrokenOff(error) || runs === RUNS_MAX) throw error
    }
}
