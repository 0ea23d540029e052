import { monotonicMs } from '~/clock.ts'
import { counterOf, type Family, gauge, histogram, secondsOf } from './families.ts'
import { Timings, WORK_BOUNDS_MS } from './timings.ts'

/** The maximum number of announcements with stored waiting times; others are only counted. */
const WAITING_MAX = 10_000

/** Lag of memory behind the commits of other processes. */
export class ReplicationFigures {
  /** Times from the announcement of a commit to serving it. */
  readonly timings = new Timings(WORK_BOUNDS_MS)
  readonly #byKind = new Map<string, number>()
  /** Arrival of each announcement, the oldest first. */
  readonly #waiting = new Map<number, number>()
  readonly #failed = new Set<number>()
  #count = 0

  /** Notes an announcement; `served` resolves to whether memory has it now. If not, it waits on. */
  receive(kind: string, served: Promise<boolean>): void {
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1)
    if (this.#waiting.size >= WAITING_MAX) return
    const id = ++this.#count
    this.#waiting.set(id, monotonicMs())
    void served.then((isServed) => {
      if (isServed) this.#serve(id)
      else this.#failed.add(id)
    })
  }

  /** Notes that memory has loaded everything that it could not load before. */
  caughtUp(): void {
    for (const id of this.#failed) this.#serve(id)
    this.#failed.clear()
  }

  get kinds(): Iterable<readonly [kind: string, count: number]> {
    return this.#byKind
  }

  /** The time that the oldest announcement that is not served has waited; 0 when none waits. */
  get lagMs(): number {
    for (const receivedMs of this.#waiting.values()) return monotonicMs() - receivedMs
    return 0
  }

  get metrics(): Family[] {
    return [
      counterOf(['replication_news_total', 'Announced commits of other processes'], () =>
        [...this.kinds].map(([kind, count]) => [{ kind }, count]),
      ),
      histogram(
        [
          'replication_delay_seconds',
          'Time from the announcement of a commit elsewhere to serving it',
        ],
        this.timings,
      ),
      gauge(
        [
          'replication_lag_seconds',
          'Age of the oldest announced commit that is not served yet; 0 without any',
        ],
        () => secondsOf(this.lagMs),
      ),
    ]
  }

  #serve(id: number): void {
    this.timings.add(monotonicMs() - this.#waiting.get(id)!)
    this.#waiting.delete(id)
  }
}
