import type { Static, TObject } from '@sinclair/typebox'
import type { Clock } from '~/clock.ts'
import { freshnessAt, type Tier } from '~/domain/freshness.ts'
import type { Quota } from '~/domain/quota.ts'
import { DAY_MS } from '~/domain/quota.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type Caller, callerOf } from '~/service/access.ts'
import { type Metering, quotaAt, reserveUnit } from '~/service/metering.ts'
import { readQuery } from '~/wire/query.ts'
import { errorReply, type Headers, jsonReply } from './reply.ts'

export type AccessDeps = {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

export type Handler = (request: Request) => Response | Promise<Response>

/** One question asked by a known caller. */
export type Ask<S extends TObject> = {
  readonly query: Static<S>
  readonly caller: Caller
  readonly view: View
  readonly nowMs: number
}

type Question<S extends TObject> = {
  readonly query: S
  /** Whether the answer depends on the tier, and so says which one it is. */
  readonly isTiered: boolean
  /** The body of the answer. */
  answer(ask: Ask<S>): unknown
}

/** The key's owner, from the request's header. */
export const callerOfRequest = (memory: Memory, request: Request): Caller =>
  callerOf(memory.current.keys, request.headers.get('x-api-key'))

/**
 * A read that costs one unit of the caller's daily quota: 401, then 429, then 400, then the work.
 *
 * The unit is taken before the work and given back unless the answer is a success; every reply to a
 * known caller says where the budget stands.
 */
export function meteredHandler<S extends TObject>(
  deps: AccessDeps,
  question: Question<S>,
): Handler {
  const { memory, clock, log, metering, ageLimits } = deps
  return (request) => {
    const nowMs = clock.now()
    let caller: Caller | null = null
    try {
      caller = callerOfRequest(memory, request)
      const reservation = reserveUnit(metering, caller, nowMs)
      try {
        const view = new View(memory.current, freshnessAt(caller.tier, nowMs), ageLimits)
        const query = readQuery(question.query, request.url)
        const body = question.answer({ query, caller, view, nowMs })
        const headers = quotaHeaders(quotaAt(metering, caller, nowMs), nowMs)
        return jsonReply(body, 200, question.isTiered ? withTier(headers, caller.tier) : headers)
      } catch (error) {
        metering.meter.giveBack(reservation)
        throw error
      }
    } catch (error) {
      const headers = caller ? quotaHeaders(quotaAt(metering, caller, nowMs), nowMs) : {}
      return errorReply(error, log, headers)
    }
  }
}

const withTier = (headers: Headers, tier: Tier): Headers => ({
  ...headers,
  'x-data-freshness': tier,
})

/**
 * The budget as the X-RateLimit fields and as the IETF fields say it.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function quotaHeaders(quota: Quota, nowMs: number): Headers {
  const { limit, remaining, resetMs } = quota
  const waitSeconds = Math.ceil((resetMs - nowMs) / 1000)
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetMs / 1000),
    'ratelimit-policy': `"day";q=${limit};w=${DAY_MS / 1000}`,
    ratelimit: `"day";r=${remaining};t=${waitSeconds}`,
  }
}
