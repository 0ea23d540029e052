import { setTimeout as delay } from 'node:timers/promises'
import { SonicBoom } from 'sonic-boom'

/**
 * The maximum number of bytes that may wait for a reader that is slow or has stopped; further lines
 * are left out.
 */
const WAITING_BYTES_MAX = 1_048_576
/** The size of a pipe's atomic write, so that lines of several processes on one pipe stay apart. */
const WRITE_BYTES_MAX = 4096
/** The longest time for which the last lines are waited for. */
const FLUSH_MS_MAX = 500

/**
 * Lines to a file, a pipe or a terminal, written whenever it accepts them: no request waits for
 * that, and lines that do not fit are left out and counted. A reader that is gone is not an error.
 */
export class Output {
  readonly #stream: SonicBoom
  #leftOut = 0
  #isIdle = true

  /** `onLeftOut` gets the number of lost lines, once the next one can be written again. */
  constructor(
    fd: number,
    private readonly onLeftOut: (lines: number) => void,
  ) {
    this.#stream = new SonicBoom({
      fd,
      sync: false,
      maxLength: WAITING_BYTES_MAX,
      maxWrite: WRITE_BYTES_MAX,
    })
    this.#stream.on('drop', () => {
      this.#leftOut++
    })
    // The stream updates its count of written bytes only after this event.
    this.#stream.on('write', () => queueMicrotask(() => this.#tellLeftOut()))
    this.#stream.on('drain', () => {
      this.#isIdle = true
    })
    this.#stream.on('error', () => {
      this.#isIdle = true
    })
  }

  write(line: string): void {
    this.#isIdle = false
    this.#stream.write(line)
  }

  /** Resolves when every line is written, or when that takes too long. */
  async flushed(): Promise<void> {
    if (this.#isIdle) return
    const idle = new Promise<void>((resolve) => {
      for (const event of ['drain', 'error']) this.#stream.once(event, resolve)
    })
    await Promise.race([idle, delay(FLUSH_MS_MAX)])
  }

  #tellLeftOut(): void {
    const lines = this.#leftOut
    if (lines === 0) return
    this.#leftOut = 0
    this.onLeftOut(lines)
    if (this.#leftOut > 0) this.#leftOut = lines
  }
}
