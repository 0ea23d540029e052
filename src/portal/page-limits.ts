import type { AddressOf } from '~/http/edge/address.ts'
import { AddressLimits } from '~/memory/address-limits.ts'

const MINUTE_MS = 60_000
/** The factor by which all signed-in browsers of an address may load more pages than one. */
export const SESSION_SHARES = 50

/** The name of the session whose cookie a request carries, if we issued it; else null. */
export type SessionOf = (request: Request) => string | null

type Options = {
  /** The maximum number of pages that an address, or a session, may load a minute. */
  readonly requestsMax: number
  readonly addressOf: AddressOf
  readonly sessionOf: SessionOf
}

/**
 * The number of pages that may be loaded a minute: counted by session for signed-in people, many of
 * whom may have one address behind a carrier's NAT, and by address for everybody else. The sessions
 * of an address have a bound together, or an account could load without end by signing in again.
 */
export class PageLimits {
  readonly #signedOut: AddressLimits
  readonly #sessions: AddressLimits
  readonly #members: AddressLimits

  constructor(private readonly options: Options) {
    const { requestsMax } = options
    const one = { requestsMax, windowMs: MINUTE_MS }
    this.#signedOut = new AddressLimits(one)
    this.#sessions = new AddressLimits(one)
    this.#members = new AddressLimits({ ...one, requestsMax: SESSION_SHARES * requestsMax })
  }

  /** Takes one page: 0 when it may be loaded, else the milliseconds until one may. */
  take(request: Request, nowMs: number): number {
    const { addressOf, sessionOf } = this.options
    const address = addressOf(request)
    const session = sessionOf(request)
    if (session === null) return this.#signedOut.take(address, nowMs)
    const waitMs = this.#sessions.take(session, nowMs)
    return waitMs > 0 ? waitMs : this.#members.take(address, nowMs)
  }
}
