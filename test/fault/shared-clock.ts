import { writeFile } from 'node:fs/promises'
import type { Clock } from '~/clock.ts'

/** The offset, and the time at which the clock is held; 0 while it runs. */
const FILE_BYTES = 16

/**
 * A clock that several processes read and any may set: the machine's, plus an offset in a file that
 * all of them have mapped. A change appears in all of them at once. It can be held at a time.
 */
export class SharedClock implements Clock {
  readonly #times: Float64Array

  constructor(path: string) {
    this.#times = new Float64Array(Bun.mmap(path, { shared: true }).buffer, 0, 2)
  }

  static async create(path: string, offsetMs: number): Promise<SharedClock> {
    await writeFile(path, new Uint8Array(FILE_BYTES))
    const clock = new SharedClock(path)
    clock.turn(offsetMs)
    return clock
  }

  now(): number {
    const [offsetMs, heldMs] = this.#times as unknown as [number, number]
    return heldMs || Date.now() + offsetMs
  }

  /** Forward by so many milliseconds, or back. */
  turn(ms: number): void {
    this.#times[0] = this.#times[0]! + ms
  }

  /** Holds the clock at a time from now on. */
  hold(ms: number): void {
    this.#times[1] = ms
  }
}
