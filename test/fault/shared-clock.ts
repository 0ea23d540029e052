import { writeFile } from 'node:fs/promises'
import type { Clock } from '~/clock.ts'

const OFFSET_BYTES = 8

/**
 * A clock that several processes read and any may turn: the machine's, and an offset in a file that
 * all of them have mapped. A turn shows in all of them at once.
 */
export class SharedClock implements Clock {
  readonly #offset: Float64Array

  constructor(path: string) {
    this.#offset = new Float64Array(Bun.mmap(path, { shared: true }).buffer, 0, 1)
  }

  static async create(path: string, offsetMs: number): Promise<SharedClock> {
    await writeFile(path, new Uint8Array(OFFSET_BYTES))
    const clock = new SharedClock(path)
    clock.turn(offsetMs)
    return clock
  }

  now(): number {
    return Date.now() + this.#offset[0]!
  }

  /** Forward by so many milliseconds, or back. */
  turn(ms: number): void {
    this.#offset[0] = this.#offset[0]! + ms
  }
}
