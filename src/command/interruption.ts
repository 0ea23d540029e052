import { setTimeout as delay } from 'node:timers/promises'
import { type Ending, EXIT_STATUS, signals } from './signals.ts'

/** What interrupted work may take to clean up behind itself. */
const CLEANING_MS_MAX = 2000
/** What a database is given to stop where nobody wants to wait any longer. */
const GIVING_UP_MS_MAX = 5000

/** A signal that ends a command before its work is done. */
export class Interruption extends Error {
  readonly exitStatus: number

  constructor(signal: Ending) {
    super(`stopped by ${signal} before it was done`)
    this.exitStatus = EXIT_STATUS[signal]
  }
}

/** What work holds, and has to be let go of before the process ends. */
export type Hold = {
  /** In order: what is under way ends first. */
  close(): Promise<void>
  /** At once: what is under way fails of it. */
  abandon(): Promise<void>
}

/**
 * What `work` comes to; what it holds is closed whatever happens.
 *
 * At SIGINT, SIGTERM and SIGHUP it is closed under the work, which fails of that and cleans up, and
 * an Interruption is thrown. Whoever asks once more, a second later, has everything abandoned and
 * the process ended.
 */
export const interruptible = <T>(work: () => Promise<T>, hold: Hold): Promise<T> =>
  hearingSignals(hold, async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } finally {
      await hold.close()
      await cleaned(working)
    }
  })

/** Like `interruptible`, but what work that succeeds holds stays open. */
export const unlessInterrupted = <T>(work: () => Promise<T>, hold: Hold): Promise<T> =>
  hearingSignals(hold, async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } catch (error) {
      await hold.close().catch(() => {})
      await cleaned(working)
      throw error
    }
  })

/** From now on and until `listen` ends, the signals only reject the promise that it is given. */
async function hearingSignals<T>(
  hold: Hold,
  listen: (interrupted: Promise<never>) => Promise<T>,
): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  interrupted.catch(() => {})
  const unheard = signals.hear({
    stop: (signal) => reject(new Interruption(signal)),
    giveUp: (signal) =>
      void abandoned(hold, GIVING_UP_MS_MAX).then(() => process.exit(EXIT_STATUS[signal])),
  })
  try {
    return await listen(interrupted)
  } finally {
    unheard()
  }
}

/** Resolves when everything is let go of, or when that took too long. */
export const abandoned = (hold: Pick<Hold, 'abandon'>, msMax: number): Promise<unknown> =>
  Promise.race([hold.abandon().catch(() => {}), delay(msMax)])

const cleaned = (working: Promise<unknown>): Promise<unknown> =>
  Promise.race([working.catch(() => {}), delay(CLEANING_MS_MAX, null, { ref: false })])
