import type { Static, TObject } from '@sinclair/typebox'
import type { Clock } from '~/clock.ts'
import type { Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import { REQUEST_ID_HEADER } from '~/http/edge/request-id.ts'
import type { Log } from '~/log.ts'
import type { Evidence } from '~/memory/evidence.ts'
import type { Generation, Memory } from '~/memory/memory.ts'
import type { Reservation } from '~/memory/usage-meter.ts'
import { type AgeLimits, View } from '~/memory/view.ts'
import { callerOf, callerOrRefusal, type KeyAccess } from '~/service/access.ts'
import { type Metering, quotaAfter, quotaAt, unitOrRefusal } from '~/service/metering.ts'
import { inScope, type RequestScope } from '~/telemetry/request-scope.ts'
import { readQuery } from '~/wire/query.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { SuccessHeaders } from '~/wire/success-headers.ts'
import type { AnswerCache, Body } from '~/wire/text/answer-cache.ts'
import { type Answer, answerReply } from './answer.ts'
import { errorReply, type Headers, type Refusals } from './reply.ts'

export type AccessDeps = KeyAccess & {
  readonly memory: Memory
  readonly clock: Clock
  readonly log: Log
  readonly metering: Metering
  readonly ageLimits: AgeLimits
}

/** What reads from memory need besides access. */
export type HotDeps = AccessDeps & {
  readonly answers: AnswerCache
  readonly refusals: Refusals
  /** Headers for browsers on every answer. */
  readonly guards: Headers
}

export type Handler = (request: Request) => Response | Promise<Response>

/**
 * Answers from memory alone, at once unless it waits for a share of the caller's budget, and puts
 * the request's id in its reply.
 */
export type HotHandler = (request: Request, scope: RequestScope) => Response | Promise<Response>

/** One question, and everything that its answer may depend on. */
export type Ask<S extends TObject> = {
  readonly query: Static<S>
  readonly view: View
  /** The request's whole URL. */
  readonly url: string
}

type Question<S extends TObject> = {
  readonly query: S
  /** Whether the answer depends on the tier, and so names it. */
  readonly isTiered: boolean
  /** The body of the answer. */
  write(ask: Ask<S>): Body
  /**
   * A shortcut for a question that need not be read: its body and what it depends on; null for any
   * other.
   */
  rewrite?(url: string, generation: Generation, freshness: Freshness): Rewritten | null
}

type Rewritten = { readonly body: Body; readonly evidence: Evidence }

type ColdQuestion<S extends TObject> = {
  readonly query: S
  answer(ask: Ask<S>): Promise<Answer>
}

/** The owner of the key in the request's header. */
export const callerOfRequest = (
  access: KeyAccess,
  request: Request,
  nowMs: number,
): Promise<Caller> => callerOf(access, request.headers.get('x-api-key'), nowMs)

/**
 * A read that costs one unit of the caller's daily quota: 401, then 429, then 400, then the work.
 *
 * The unit is taken before the work and given back unless the answer is a success; every reply to a
 * known caller tells what is left of the budget.
 */
export function meteredHandler<S extends TObject>(
  deps: HotDeps,
  { query, isTiered, write, rewrite }: Question<S>,
): HotHandler {
  const { memory, answers, refusals, guards } = deps
  const successHeaders = new SuccessHeaders({ isTiered, guards })
  const bodyOf = (turn: Turn, url: string): Body => {
    const freshness = turn.freshness()
    const known = answers.find(url, memory.current, freshness)
    if (known !== null) return known
    const again = rewrite?.(url, memory.current, freshness)
    if (again) return answers.keep(url, again.body, { freshness, evidence: again.evidence })
    const ask = turn.ask(query, freshness)
    return answers.keep(url, write(ask), ask.view)
  }
  const replyOf = (turn: Turn, request: Request, scope: RequestScope): Response => {
    try {
      const body = bodyOf(turn, request.url)
      const headers = successHeaders.of(turn.success())
      headers.set(REQUEST_ID_HEADER, scope.id)
      return new Response(body, { headers })
    } catch (error) {
      const reply = () => turn.failed(error, { ...guards, [REQUEST_ID_HEADER]: scope.id })
      const isToldOf = !(error instanceof ServiceError) || error.cause !== undefined
      if (!isToldOf) scope.code = error.code
      return isToldOf ? inScope(scope, reply, request) : reply()
    }
  }
  return (request, scope) => {
    const turn = new Turn(deps, request)
    const begun = turn.begin()
    if (begun === null) return replyOf(turn, request, scope)
    const later = (refusal: Begun) =>
      refusal
        ? refusals.reply(refusal, scope.id, () => turn.quotaHeaders())
        : replyOf(turn, request, scope)
    return begun instanceof Promise ? begun.then(later) : later(begun)
  }
}

/**
 * A metered read that has to wait for the database, always of a tier.
 *
 * It also answers 304 to a caller who already has the answer; that is a success too and costs its
 * unit.
 */
export function coldHandler<S extends TObject>(
  deps: AccessDeps,
  { query, answer }: ColdQuestion<S>,
): Handler {
  return async (request) => {
    const turn = new Turn(deps, request)
    const refusal = await turn.begin()
    if (refusal) return turn.failed(refusal)
    try {
      const ask = turn.ask(query, turn.freshness())
      return answerReply(request, await answer(ask), turn.tieredHeaders())
    } catch (error) {
      return turn.failed(error)
    }
  }
}

/** Why a request may not proceed; null where it may. */
type Begun = ServiceError | null

/** One metered request, from the check of its key to the headers of its reply. */
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

  /**
   * Takes a unit, or answers why not, a 401 or a 429. It answers asynchronously only where the key
   * may be new or the unit has to be waited for.
   */
  begin(): Begun | Promise<Begun> {
    const key = this.request.headers.get('x-api-key')
    const found = callerOrRefusal(this.deps, key, this.#nowMs)
    return found instanceof Promise ? found.then((late) => this.#admit(late)) : this.#admit(found)
  }

  #admit(found: Caller | ServiceError): Begun | Promise<Begun> {
    if (found instanceof ServiceError) return found
    this.#caller = found
    const unit = unitOrRefusal(this.deps.metering, found, this.#nowMs)
    return unit instanceof Promise ? unit.then((late) => this.#take(late)) : this.#take(unit)
  }

  #take(unit: Reservation | ServiceError): Begun {
    if (unit instanceof ServiceError) return unit
    this.#reservation = unit
    return null
  }

  /** What the caller may see; only for a request that has begun. */
  freshness(): Freshness {
    return freshnessAt(this.#caller!.tier, this.#nowMs)
  }

  /** The question of the request. Throws a 400 for one that cannot be read. */
  ask<S extends TObject>(schema: S, freshness: Freshness): Ask<S> {
    const { memory, ageLimits } = this.deps
    const view = new View(memory.current, freshness, ageLimits)
    const { url } = this.request
    return { query: readQuery(schema, url), view, url }
  }

  /** What the headers of a success depend on; only for a request that has begun. */
  success() {
    const caller = this.#caller!
    const quota = quotaAfter(this.deps.metering, caller, this.#reservation!)
    return { plan: caller.account.plan, quota, nowMs: this.#nowMs }
  }

  /** Headers with the budget of a known caller, and with the tier. */
  tieredHeaders(): Headers {
    return { ...this.quotaHeaders(), 'x-data-freshness': this.#caller!.tier }
  }

  /** The reply to a failure, which costs nothing. */
  failed(error: unknown, headers: Headers = {}): Response {
    if (this.#reservation) this.deps.metering.meter.giveBack(this.#reservation)
    return errorReply(error, this.deps.log, { ...headers, ...this.quotaHeaders() })
  }

  /** Headers with what is left of the budget; none for a caller who is not known. */
  quotaHeaders(): Headers {
    const caller = this.#caller
    if (!caller) return {}
    return quotaHeaders(quotaAt(this.deps.metering, caller, this.#nowMs), this.#nowMs)
  }
}
