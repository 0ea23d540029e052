import type { Job, Schedule } from '~/jobs/schedule.ts'

/** A part of a service: its jobs, what it begins with the schedule, and its end. */
export type Part = {
  readonly jobs?: readonly Job[]
  start?(schedule: Schedule): void
  stop?(): unknown
}

/** Running parts, to be stopped in the reverse of the order in which they began. */
export class Opened {
  readonly #parts: Part[] = []

  add<T extends Part>(part: T): T {
    this.#parts.push(part)
    return part
  }

  /** Stops one part after another; rejects with the first failure, and goes no further then. */
  async stop(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) await part.stop?.()
  }

  /** Stops every part, whatever fails on the way. */
  async abandon(): Promise<void> {
    while (this.#parts.length > 0) await this.stop().catch(() => {})
  }
}

/** Returns the result of `work`; if it fails, `undo` runs before its error goes on. */
export async function undoOnFailure<T>(
  work: () => T | Promise<T>,
  undo: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo().catch(() => {})
    throw error
  }
}
