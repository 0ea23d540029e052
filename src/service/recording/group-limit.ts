import { overloaded, TURN_MS_MAX, type WorkFigures } from '~/service/work-limit.ts'

type GroupBounds<T> = {
  /** The maximum number of groups that run at once. */
  readonly runningMax: number
  /** The maximum number of items that wait for their turn; one more is refused at once. */
  readonly waitingMax: number
  /** The maximum size of a group; an item that is larger is a group of its own. */
  readonly sizeMax: number
  sizeOf(item: T): number
}

type Waiting<T, R> = Pick<PromiseWithResolvers<R>, 'resolve' | 'reject'> & {
  readonly item: T
  /** Refuses the item if it still waits after `TURN_MS_MAX`. */
  readonly timer?: ReturnType<typeof setTimeout>
}

/**
 * A cap on work that several items can share. An item that finds a place begins at once and alone;
 * items that have to wait begin together, in the order in which they came, once a group has ended.
 */
export class GroupLimit<T, R> {
  readonly #waiting = new Set<Waiting<T, R>>()
  #running = 0
  #refused = 0

  /** `work` gives the outcome of each item of a group, in their order. */
  constructor(
    private readonly bounds: GroupBounds<T>,
    private readonly work: (items: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>,
  ) {}

  get figures(): WorkFigures {
    return { running: this.#running, waiting: this.#waiting.size, refused: this.#refused }
  }

  /** The outcome of an item; throws `overloaded`, without starting it, where it cannot begin. */
  run(item: T): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    if (this.#running < this.bounds.runningMax) {
      void this.#lead([{ item, resolve, reject }])
      return promise
    }
    if (this.#waiting.size >= this.bounds.waitingMax) throw this.#refusal()
    const timer = setTimeout(() => {
      if (this.#waiting.delete(waiting)) reject(this.#refusal())
    }, TURN_MS_MAX)
    const waiting = { item, resolve, reject, timer }
    this.#waiting.add(waiting)
    return promise
  }

  /** Does the work of a group, and of those that wait when it has ended. */
  async #lead(first: readonly Waiting<T, R>[]): Promise<void> {
    this.#running++
    for (let group = first; group.length > 0; group = this.#next()) {
      try {
        const outcomes = await this.work(group.map(({ item }) => item))
        for (const [nth, { resolve, reject }] of group.entries()) {
          const outcome = outcomes[nth]!
          if (outcome.status === 'fulfilled') resolve(outcome.value)
          else reject(outcome.reason)
        }
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#running--
  }

  /** Takes the next group from those that wait; empty if there are none. */
  #next(): Waiting<T, R>[] {
    const { sizeMax, sizeOf } = this.bounds
    const group: Waiting<T, R>[] = []
    let size = 0
    for (const waiting of this.#waiting) {
      size += sizeOf(waiting.item)
      if (group.length > 0 && size > sizeMax) break
      clearTimeout(waiting.timer)
      this.#waiting.delete(waiting)
      group.push(waiting)
    }
    return group
  }

  #refusal() {
    this.#refused++
    return overloaded()
  }
}
