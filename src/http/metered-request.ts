import type { Static, TObject } from '@sinclair/typebox'
import type { Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { type Freshness, freshnessAt } from '~/domain/freshness.ts'
import type { Reservation } from '~/memory/usage-meter.ts'
import { View } from '~/memory/view.ts'
import { callerOf } from '~/service/access.ts'
import { quotaAfter, quotaAt, reserveUnit } from '~/service/metering.ts'
import { noteCaller, type RequestScope } from '~/telemetry/request-scope.ts'
import { credentialOf } from '~/wire/credential.ts'
import { readQuery } from '~/wire/query.ts'
import { quotaHeaders } from '~/wire/quota.ts'
import { type AccessDeps, idsOf } from './access.ts'
import { errorReply, type Headers } from './reply.ts'

/** One request, and everything that its response may depend on. */
export type Ask<S extends TObject> = {
  readonly query: Static<S>
  readonly view: View
  readonly caller: Caller
  readonly url: string
  /** The time of which the view knows; absent for now. */
  readonly knownMs?: number
}

/** Reason why a request may not proceed; null if it may. */
export type Refusal = ServiceError | null

/** A caller, or the reason why there is none. */
type Found = Caller | ServiceError

/**
 * A read that costs one unit of the caller's daily quota: 401, then 429, then 400, then the work.
 *
 * The unit is taken before the work and given back unless the response is a success; every response
 * to a known caller states what is left of the budget.
 */
export class MeteredRequest {
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
   * Takes a unit, or returns the reason for refusing, a 401 or a 429. Asynchronous only if the key
   * may be new, the unit has to be waited for, or `find` is, which looks for the caller of a
   * request without a key.
   */
  begin(find?: (nowMs: number) => Found | Promise<Found>): Refusal | Promise<Refusal> {
    const found = find ? find(this.#nowMs) : this.#holder()
    return found instanceof Promise ? found.then((late) => this.#admit(late)) : this.#admit(found)
  }

  #holder(): Found | Promise<Found> {
    return callerOf(this.deps, credentialOf(this.request.headers), this.#nowMs)
  }

  #admit(found: Found): Refusal | Promise<Refusal> {
    if (found instanceof ServiceError) return found
    this.#caller = found
    const unit = reserveUnit(this.deps.metering, found, this.#nowMs)
    return unit instanceof Promise ? unit.then((late) => this.#take(late)) : this.#take(unit)
  }

  #take(unit: Reservation | ServiceError): Refusal {
    if (unit instanceof ServiceError) return unit
    this.#reservation = unit
    return null
  }

  get caller(): Caller {
    return this.#caller!
  }

  /** Names the caller, for the log line of a request that may not proceed. */
  nameTo(scope: RequestScope): void {
    if (this.#caller) scope.caller = idsOf(this.#caller)
  }

  /** Freshness that the caller may see; only for a request that has begun. */
  freshness(): Freshness {
    return freshnessAt(this.#caller!.tier, this.#nowMs, this.deps.memory.isSample)
  }

  /** The query of the request. Throws a 400 if it cannot be read. */
  ask<S extends TObject>(schema: S, freshness: Freshness): Ask<S> {
    const { memory, ageLimits } = this.deps
    const view = new View(memory.current, freshness, ageLimits)
    const { url } = this.request
    return { query: readQuery(schema, url), view, caller: this.caller, url }
  }

  /** Values on which the headers of a success depend; only for a request that has begun. */
  success() {
    const caller = this.#caller!
    const quota = quotaAfter(this.deps.metering, caller, this.#reservation!)
    const { position } = this.deps.memory.positions
    return { plan: caller.account.plan, quota, nowMs: this.#nowMs, position }
  }

  /** Headers with the budget of a known caller, and with the tier. */
  tieredHeaders(): Headers {
    return { ...this.quotaHeaders(), 'x-data-freshness': this.#caller!.tier }
  }

  /** The reply to a failure, which costs nothing. */
  failed(error: unknown, headers: Headers = {}): Response {
    if (this.#reservation) this.deps.metering.meter.giveBack(this.#reservation)
    if (this.#caller) noteCaller(idsOf(this.#caller))
    return errorReply(error, this.deps.log, { ...headers, ...this.quotaHeaders() })
  }

  /** Headers with what is left of the budget; none for a caller who is not known. */
  quotaHeaders(): Headers {
    const caller = this.#caller
    if (!caller) return {}
    return quotaHeaders(quotaAt(this.deps.metering, caller, this.#nowMs), this.#nowMs)
  }
}
