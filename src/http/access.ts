import type { Static, TObject } from '@sinclair/typebox'
import type { Clock } from '~/clock.ts'
import { type Freshness, freshnessAt, type Tier } from '~/domain/freshness.ts'
import type { Log } from '~/log.ts'
import type { Memory } from '~/memory/memory.ts'
import type { Reservation } from '~/memory/usage-meter.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { type Caller, callerOf } from '~/service/access.ts'
import { type Metering, quotaAt, reserveUnit } from '~/service/metering.ts'
import { readQuery } from '~/wire/query.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { type Answer, answerReply } from './answer.ts'
import type { AnswerCache, Timed } from './answer-cache.ts'
import { errorReply, type Headers, textReply } from './reply.ts'

export type AccessDeps = {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

/** What reads from memory need beside it. */
export type HotDeps = AccessDeps & { readonly answers: AnswerCache }

export type Handler = (request: Request) => Response | Promise<Response>

/** One question, and all that its answer may depend on. */
export type Ask<S extends TObject> = { readonly query: Static<S>; readonly view: View }

type Question<S extends TObject> = {
  readonly query: S
  /** Whether the answer depends on the tier, and so says which one it is. */
  readonly isTiered: boolean
  /** The body of the answer. */
  answer(ask: Ask<S>): Timed
}

type ColdQuestion<S extends TObject> = {
  readonly query: S
  answer(ask: Ask<S>): Promise<Answer>
}

/** The key's owner, from the request's header. */
export const callerOfRequest = (memory: Memory, request: Request, nowMs: number): Caller =>
  callerOf(memory.current.keys, request.headers.get('x-api-key'), nowMs)

/**
 * A read that costs one unit of the caller's daily quota: 401, then 429, then 400, then the work.
 *
 * The unit is taken before the work and given back unless the answer is a success; every reply to a
 * known caller says where the budget stands.
 */
export function meteredHandler<S extends TObject>(
  deps: HotDeps,
  { query, isTiered, answer }: Question<S>,
): Handler {
  const { memory, answers } = deps
  return (request) => {
    const turn = new Turn(deps, request)
    try {
      const freshness = turn.begin()
      const known = answers.find(request.url, memory.current, freshness)
      if (known !== null) return textReply(known, turn.headers(isTiered))
      const ask = turn.ask(query, freshness)
      const text = answers.keep(request.url, answer(ask), ask.view)
      return textReply(text, turn.headers(isTiered))
    } catch (error) {
      return turn.failed(error)
    }
  }
}

/**
 * The same for a read that has to wait for the database, always one of a tier.
 *
 * It also answers 304 to who has the answer already; that is a success too and costs its unit.
 */
export function coldHandler<S extends TObject>(
  deps: AccessDeps,
  { query, answer }: ColdQuestion<S>,
): Handler {
  return async (request) => {
    const turn = new Turn(deps, request)
    try {
      const ask = turn.ask(query, turn.begin())
      return answerReply(request, await answer(ask), turn.headers(true))
    } catch (error) {
      return turn.failed(error)
    }
  }
}

/** One metered request, from the look at its key to the headers of its reply. */
class Turn {
  readonly #nowMs: number
  #caller: Caller | null = null
  #reservation: Reservation | null = null

  constructor(
    private readonly deps: AccessDeps,
    private readonly request: Request,
  ) {
    this.#nowMs = deps.clock.now()
  }

  /** Takes a unit and says what the caller may see. Throws a 401 or 429. */
  begin(): Freshness {
    const { memory, metering } = this.deps
    const nowMs = this.#nowMs
    const caller = callerOfRequest(memory, this.request, nowMs)
    this.#caller = caller
    this.#reservation = reserveUnit(metering, caller, nowMs)
    return freshnessAt(caller.tier, nowMs)
  }

  /** Throws a 400. */
  ask<S extends TObject>(schema: S, freshness: Freshness): Ask<S> {
    const { memory, ageLimits } = this.deps
    const view = new View(memory.current, freshness, ageLimits)
    return { query: readQuery(schema, this.request.url), view }
  }

  headers(isTiered: boolean): Headers {
    const caller = this.#caller
    if (!caller) return {}
    const headers = quotaHeaders(quotaAt(this.deps.metering, caller, this.#nowMs), this.#nowMs)
    return isTiered ? withTier(headers, caller.tier) : headers
  }

  /** The reply to a failure, which costs nothing. */
  failed(error: unknown): Response {
    if (this.#reservation) this.deps.metering.meter.giveBack(this.#reservation)
    return errorReply(error, this.deps.log, this.headers(false))
  }
}

const withTier = (headers: Headers, tier: Tier): Headers => ({
  ...headers,
  'x-data-freshness': tier,
})
