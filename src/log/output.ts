import { setTimeout as delay } from 'node:timers/promises'
import { SonicBoom } from 'sonic-boom'

/** What waits for a reader that is behind or has stopped; what comes on top of it is left out. */
const WAITING_BYTES_MAX = 1_048_576
/** As much as a pipe takes whole: lines of several processes on one pipe stay apart. */
const WRITE_BYTES_MAX = 4096
/** The last lines are waited for so long. */
const FLUSH_MS_MAX = 500

/**
 * Lines to a file, a pipe or a terminal, written whenever it takes them: nobody waits for that, and
 * what does not fit is left out and counted. A reader that is gone is no fault.
 */
export class Output {
  readonly #stream: SonicBoom
  #leftOut = 0
  #isIdle = true

  /** `onLeftOut` hears how many lines were left out, once the next one can be written again. */
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
    // the stream counts what was written only behind this event
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
