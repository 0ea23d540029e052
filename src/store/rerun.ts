import { setTimeout as delay } from 'node:timers/promises'

/** SQLSTATEs of a statement cancelled in favour of another: a deadlock, a standby's replay. */
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
export const rerun = <T>(work: () => Promise<T>): Promise<T> =>
  again(work, { triesMax: RUNS_MAX, pauseMs: 0, isWorth: wasBrokenOff })

type Trying = {
  readonly triesMax: number
  readonly pauseMs: number
  /** Reports whether another try may succeed after an error. */
  isWorth(error: unknown): boolean
}

/** The result of `work`, which is tried again after some errors and receives the try's number. */
export async function again<T>(
  work: (tries: number) => PromiseLike<T>,
  { triesMax, pauseMs, isWorth }: Trying,
): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work(tries)
    } catch (error) {
      if (!isWorth(error) || tries === triesMax) throw error
      if (pauseMs > 0) await delay(pauseMs)
    }
}
