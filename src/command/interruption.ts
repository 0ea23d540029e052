import { setTimeout as delay } from 'node:timers/promises'

/** 128 and the signal's number, as shells have it. */
const EXIT_STATUS = { SIGINT: 130, SIGTERM: 143 } as const

type Ending = keyof typeof EXIT_STATUS

const SIGNALS = Object.keys(EXIT_STATUS) as Ending[]

/** What interrupted work may take to clean up behind itself. */
const CLEANING_MS_MAX = 2000

/** A signal that ends a command before its work is done. */
export class Interruption extends Error {
  readonly exitStatus: number

  constructor(signal: Ending) {
    super(`stopped by ${signal} before it was done`)
    this.exitStatus = EXIT_STATUS[signal]
  }
}

/**
 * What `work` comes to; `close` follows it whatever happens.
 *
 * At SIGINT and SIGTERM it is closed under the work, which fails of that and cleans up, and an
 * Interruption is thrown; a second signal ends the process at once.
 */
export const interruptible = <T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> =>
  hearingSignals(async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } finally {
      await close()
      await cleaned(working)
    }
  })

/** The same for work whose outcome stays open: only where it fails or is stopped `undo` follows. */
export const unlessInterrupted = <T>(
  work: () => Promise<T>,
  undo: () => Promise<void>,
): Promise<T> =>
  hearingSignals(async (interrupted) => {
    const working = work()
    try {
      return await Promise.race([working, interrupted])
    } catch (error) {
      await undo().catch(() => {})
      await cleaned(working)
      throw error
    }
  })

/** From now on and until `listen` ends, the signals only reject the promise that it is given. */
async function hearingSignals<T>(listen: (interrupted: Promise<never>) => Promise<T>): Promise<T> {
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  interrupted.catch(() => {})
  const interrupt = (signal: Ending) => reject(new Interruption(signal))
  for (const signal of SIGNALS) process.once(signal, interrupt)
  try {
    return await listen(interrupted)
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt)
  }
}

const cleaned = (working: Promise<unknown>): Promise<unknown> =>
  Promise.race([working.catch(() => {}), delay(CLEANING_MS_MAX, null, { ref: false })])
