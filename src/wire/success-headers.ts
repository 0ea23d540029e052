import { type Plan, type Quota, tierOf } from '~/domain/quota.ts'
import { movingQuota, quotaHeaders } from './quota.ts'

/** The header that states how far a response knows the log of changes. */
export const POSITION_HEADER = 'x-corridor-position'

type Success = {
  readonly plan: Plan
  readonly quota: Quota
  readonly nowMs: number
  /** Position of the response in the log of changes. */
  readonly position: number
}

type Route = {
  readonly isTiered: boolean
  /** Says whether another Accept header may bring another form. */
  readonly varies?: boolean
  /** Headers for browsers that every response carries, if the route sets them itself. */
  readonly guards?: Readonly<Record<string, string>>
}

/** The headers that every response of a plan and limit shares until `resetMs`. */
type Kept = { readonly headers: Headers; limit: number; resetMs: number; position: number }

/**
 * The headers of successful JSON responses of one route.
 *
 * Each plan has one set that is changed in place: a Response copies its headers, and copying this
 * set costs a fifth of reading a record.
 *
 * Cache 9 of a read, see docs/architecture.md.
 */
export class SuccessHeaders {
  readonly #byPlan = new Map<Plan, Kept>()

  constructor(private readonly route: Route) {}

  /**
   * The headers of one success, valid until the next call; a caller has to add its own each time.
   */
  of({ plan, quota, nowMs, position }: Success): Headers {
    const kept = this.#byPlan.get(plan) ?? this.#first(plan)
    const { headers } = kept
    if (kept.resetMs === quota.resetMs && kept.limit === quota.limit) {
      const { remaining, policyState } = movingQuota(quota, nowMs)
      headers.set('x-ratelimit-remaining', remaining)
      headers.set('ratelimit', policyState)
    } else {
      const all = quotaHeaders(quota, nowMs)
      for (const name in all) headers.set(name, all[name]!)
      kept.resetMs = quota.resetMs
      kept.limit = quota.limit
    }
    if (kept.position !== position) {
      headers.set(POSITION_HEADER, String(position))
      kept.position = position
    }
    return headers
  }

  #first(plan: Plan): Kept {
    const { isTiered, varies, guards } = this.route
    const headers = new Headers({ 'content-type': 'application/json', ...guards })
    if (isTiered) headers.set('x-data-freshness', tierOf(plan))
    if (varies) headers.set('vary', 'Accept')
    const kept = { headers, limit: Number.NaN, resetMs: Number.NaN, position: Number.NaN }
    this.#byPlan.set(plan, kept)
    return kept
  }
}
