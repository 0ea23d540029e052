import { setTimeout as delay } from 'node:timers/promises'
import type { Handler } from '~/http/access.ts'

/**
 * The time between the word that a service stops and its end: it says so where it is asked whether
 * it is ready, and serves on while load balancers and clients look for another one.
 */
export class Draining {
  #isBegun = false

  constructor(private readonly delayMs: number | null) {}

  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Resolves when it is time to close. */
  async begin(): Promise<void> {
    this.#isBegun = true
    if (this.delayMs !== null) await delay(this.delayMs)
  }

  /** The same handler; from the beginning on it asks clients to leave their connections. */
  over(handle: Handler): Handler {
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
