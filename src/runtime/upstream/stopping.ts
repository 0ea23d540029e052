import type { FetcherDeps } from '~/feed/fetcher.ts'
import { around } from '~/runtime/around.ts'

export type Pace = Omit<FetcherDeps, 'clock'>

/** The end of requests to upstreams: those in progress are cancelled without a trace. */
export class Stopping {
  readonly #controller = new AbortController()

  stop(): void {
    this.#controller.abort()
  }

  /** Runs the work; a stop in the middle of it is not a failure. */
  async run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!this.#controller.signal.aborted) throw error
    }
  }

  /** Wraps the store so that these methods record nothing more after the stop. */
  guarded<S extends object>(store: S, writes: readonly (keyof S)[]): S {
    const unlessStopped = async <T>(write: () => Promise<T>) => {
      this.#controller.signal.throwIfAborted()
      return write()
    }
    return around(store, unlessStopped, writes)
  }

  /** The pace, until the stop: after it every attempt ends at once and no pause is made. */
  paced(pace: Pace): Pace {
    const { signal } = this.#controller
    return {
      connect: (request) => pace.connect(request),
      random: () => pace.random(),
      addressesOf: (host) => pace.addressesOf(host),
      deadline: (ms) => AbortSignal.any([pace.deadline(ms), signal]),
      sleep: (ms) => endingAt(signal, pace.sleep(ms)),
    }
  }
}

/** Resolves after the pause, or at the signal if that comes first. */
async function endingAt(signal: AbortSignal, pause: Promise<unknown>): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const onAbort = () => resolve()
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  await Promise.race([pause, aborted]).finally(() => signal.removeEventListener('abort', onAbort))
}
