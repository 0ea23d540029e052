import type { Clock } from '~/clock.ts'
import { MINUTE_MS } from '~/domain/duration.ts'
import { ServiceError } from '~/domain/errors.ts'
import type { Fetch } from '~/http/handler.ts'
import { errorReply, type Headers } from '~/http/reply.ts'
import type { Log } from '~/log.ts'
import { AddressLimits } from '~/memory/address-limits.ts'
import { TokenBucket } from '~/memory/token-bucket.ts'
import { UNAUTHORIZED } from '~/wire/errors.ts'
import type { AddressOf } from './address.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

type AuthFailureDeps = {
  readonly perMinute: number
  readonly addressOf: AddressOf
  readonly clock: Clock
  readonly log: Log
}

/**
 * The handler, except that a caller who fails to show a valid key too often in a minute has to
 * wait.
 *
 * Only failures are counted and only failures are refused: a valid key is always served, whatever
 * else fails from its address. As long as all addresses together fail no more than one may, no
 * address is looked up, which costs more than the refusal; so a flood from one address gets twice
 * its share before it has to wait.
 */
export function limitingFailures(
  handle: Fetch,
  { perMinute, addressOf, clock, log }: AuthFailureDeps,
): Fetch {
  const budget = { requestsMax: perMinute, windowMs: MINUTE_MS }
  const everybody = new TokenBucket(budget, clock.now())
  const limits = new AddressLimits(budget)
  const limited = (request: Request, reply: Response): Response => {
    if (reply.status !== UNAUTHORIZED) return reply
    const nowMs = clock.now()
    if (everybody.take(nowMs) === 0) return reply
    const waitMs = limits.take(addressOf(request), nowMs)
    return waitMs === 0 ? reply : errorReply(tooMany(waitMs), log, keptOf(reply))
  }
  return (request) => {
    const reply = handle(request)
    if (reply instanceof Promise) return reply.then((later) => limited(request, later))
    return limited(request, reply)
  }
}

/** Headers that belong on any response to the request. */
const KEPT = [REQUEST_ID_HEADER, 'x-content-type-options', 'strict-transport-security']

const keptOf = ({ headers }: Response): Headers =>
  Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

const tooMany = (waitMs: number): ServiceError =>
  new ServiceError(
    'too_many_failures',
    'too many requests without a valid API key came from your address; ' +
      'check the key and wait as Retry-After says',
    {},
    Math.ceil(waitMs / 1000),
  )
