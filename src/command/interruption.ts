import { setTimeout as delay } from 'node:timers/promises'
import { type Ending, EXIT_STATUS, signals } from './signals.ts'

/** The longest time that interrupted work may take to clean up. */
const CLEANING_MS_MAX = 2000
/** The longest time that a database may take to stop after a second signal. */
const GIVING_UP_MS_MAX = 5000

/** A signal that ends a command before its work is done. */
export class Interruption extends Error {
  readonly exitStatus: number

  constructor(signal: Ending) {
    super(`stopped by ${signal} before it was done`)
    this.exitStatus = EXIT_STATUS[signal]
  }
}

/** Something that work holds, and that has to be released before the process ends. */
export type Hold = {
  /** Closes it in order: work in progress ends first. */
  close(): Promise<void>
  /** Closes it at once: work in progress fails. */
  abandon(): Promise<void>
}

/**
 * The result of `work`; what it holds is closed in any case.
 *
 * At SIGINT, SIGTERM and SIGHUP it is closed under the work, which then fails and cleans up, and an
 * Interruption is thrown. A second signal, at least a second later, abandons everything and ends
 * the process.
 */
export const interruptible = <T>(work: () => Promise<T>, hold: Hold): Promise<T> =>
  withSignals(hold, async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } finally {
      await hold.close()
      await cleaned(working)
    }
  })

/** Like `interruptible`, except that what work holds stays open if it succeeds. */
export const unlessInterrupted = <T>(work: () => Promise<T>, hold: Hold): Promise<T> =>
  withSignals(hold, async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } catch (error) {
      await hold.close().catch(() => {})
      await cleaned(working)
      throw error
    }
  })

/** Until `work` ends, signals only reject the promise that it is given. */
async function withSignals<T>(
  hold: Hold,
  work: (interrupted: Promise<never>) => Promise<T>,
): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  interrupted.catch(() => {})
  const unlisten = signals.listen({
    stop: (signal) => reject(new Interruption(signal)),
    giveUp: (signal) =>
      void abandoned(hold, GIVING_UP_MS_MAX).then(() => process.exit(EXIT_STATUS[signal])),
  })
  try {
    return await work(interrupted)
  } finally {
    unlisten()
  }
}

/** Resolves when everything is released, or when that took too long. */
export const abandoned = (hold: Pick<Hold, 'abandon'>, msMax: number): Promise<unknown> =>
  Promise.race([hold.abandon().catch(() => {}), delay(msMax)])

const cleaned = (working: Promise<unknown>): Promise<unknown> =>
  Promise.race([working.catch(() => {}), delay(CLEANING_MS_MAX, null, { ref: false })])
