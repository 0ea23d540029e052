import { ServiceError } from '~/domain/errors.ts'

type WorkBounds = {
  /** The maximum number of works that run at once. */
  readonly runningMax: number
  /** The maximum number of works that wait for their turn; one more is refused at once. */
  readonly waitingMax: number
  /** Message to clients whose work cannot begin; without it, that the database has too much. */
  readonly refusal?: string
}

export type WorkFigures = Readonly<Record<'running' | 'waiting' | 'refused', number>>

/** The longest that a work waits for its turn: later it would be too late for the caller. */
export const TURN_MS_MAX = 2000

const RETRY_SECONDS = 1
const DATABASE_REFUSAL =
  'the database is overloaded; retry shortly, or request current data, which is still served'

type Waiting = { start(): void; refuse(): void }

/**
 * A cap on work of one kind, so that a flood of it leaves room for everything else. A turn ends
 * when the work ends, even if its caller has given up.
 */
export class WorkLimit {
  readonly #waiting = new Set<Waiting>()
  #running = 0
  #refused = 0

  constructor(private readonly bounds: WorkBounds) {}

  get figures(): WorkFigures {
    return { running: this.#running, waiting: this.#waiting.size, refused: this.#refused }
  }

  /** The result of the work; throws `overloaded` if it cannot begin in time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.bounds.runningMax) await this.#turn()
    else this.#running++
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  /** Resolves when a work that ended has made room. */
  #turn(): Promise<void> {
    if (this.#waiting.size >= this.bounds.waitingMax) throw this.#refusal()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve, refuse: () => reject(this.#refusal()) }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => {
      if (this.#waiting.delete(waiting)) waiting.refuse()
    }, TURN_MS_MAX)
    return promise.finally(() => clearTimeout(timer))
  }

  #pass(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#running--
      return
    }
    this.#waiting.delete(next)
    next.start()
  }

  #refusal(): ServiceError {
    this.#refused++
    return new ServiceError(
      'overloaded',
      this.bounds.refusal ?? DATABASE_REFUSAL,
      {},
      RETRY_SECONDS,
    )
  }
}
