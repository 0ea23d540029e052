import { setTimeout as delay } from 'node:timers/promises'
import type { Fetch } from '~/http/handler.ts'

/** The time between the signal to stop and the end of the service, while clients move elsewhere. */
export class Draining {
  #isBegun = false

  constructor(private readonly delayMs: number | null) {}

  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Starts draining; resolves when it is time to close. */
  async begin(): Promise<void> {
    this.#isBegun = true
    if (this.delayMs !== null) await delay(this.delayMs)
  }

  /** The handler, which asks clients to close their connections once draining has begun. */
  over(handle: Fetch): Fetch {
    return (request) => {
      const reply = handle(request)
      if (!this.#isBegun) return reply
      return reply instanceof Promise ? reply.then(leaving) : leaving(reply)
    }
  }
}

function leaving(reply: Response): Response {
  reply.headers.set('connection', 'close')
  return reply
}
