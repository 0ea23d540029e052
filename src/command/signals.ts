import { closeSync, openSync, readFileSync } from 'node:fs'
import { isatty } from 'node:tty'
import { monotonicMs } from '~/clock.ts'

/** 128 plus the signal's number, as in shells. */
export const EXIT_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export type Ending = keyof typeof EXIT_STATUS

/**
 * Signals this close together count as one request. A terminal sends its signal to every process it
 * runs, and a script runner among them passes it on: both arrive milliseconds apart.
 */
const WISH_MS = 1000

type SignalListener = {
  /** Called at the first signal. */
  stop(signal: Ending): void
  /** Called at each further request to end. */
  giveUp(signal: Ending): void
}

/** The only listener to signals in the process, from the first listener on. */
class Signals {
  readonly #ended = new AbortController()
  #listeners: readonly SignalListener[] = []
  #first: { readonly signal: Ending; readonly atMs: number } | null = null
  #isListening = false

  /** Aborted by the first signal. */
  get ended(): AbortSignal {
    this.#listen()
    return this.#ended.signal
  }

  /**
   * Notifies `listener`, instead of earlier ones, until the returned function is called; at once if
   * a request was made before.
   */
  listen(listener: SignalListener): () => void {
    this.#listen()
    this.#listeners = [...this.#listeners, listener]
    if (this.#first) listener.stop(this.#first.signal)
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener)
    }
  }

  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, this.#onSignal)
    if (!ignoresHangup()) process.on('SIGHUP', leftItsTerminal() ? () => {} : this.#onSignal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const ending = signal as Ending
    const listener = this.#listeners.at(-1)
    if (this.#first === null) {
      this.#first = { signal: ending, atMs: monotonicMs() }
      this.#ended.abort()
      if (listener) listener.stop(ending)
    } else if (monotonicMs() - this.#first.atMs >= WISH_MS) listener?.giveUp(ending)
    if (!listener) process.exit(EXIT_STATUS[ending])
  }
}

export const signals = new Signals()

const SIGHUP_BIT = 1n

/** Reports whether SIGHUP was ignored from the start; assumed false without /proc. */
function ignoresHangup(): boolean {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    const ignored = /^SigIgn:\s*([\da-f]+)$/m.exec(status)?.[1] ?? '0'
    return (BigInt(`0x${ignored}`) & SIGHUP_BIT) !== 0n
  } catch {
    return false
  }
}

/**
 * Reports whether there is a terminal and none of the streams is it. `nohup` arranges that too, and
 * nothing else is left of it behind a script runner, which no longer ignores SIGHUP for us.
 */
const leftItsTerminal = (): boolean => hasTerminal() && ![0, 1, 2].some((fd) => isatty(fd))

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
