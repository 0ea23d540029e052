import { monotonicMs } from '~/clock.ts'
import { Timings } from './timings.ts'

const SAMPLE_MS = 50
const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000]

/** Delay of a timer on the event loop, which every request waits as well while other work runs. */
export class LoopDelay {
  readonly timings = new Timings(BOUNDS_MS)
  #timer: Timer | null = null

  /** Starts sampling; the timer does not keep the process alive. */
  start(): void {
    let dueMs = monotonicMs() + SAMPLE_MS
    this.#timer = setInterval(() => {
      const nowMs = monotonicMs()
      this.timings.add(Math.max(0, nowMs - dueMs))
      dueMs = nowMs + SAMPLE_MS
    }, SAMPLE_MS)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}
