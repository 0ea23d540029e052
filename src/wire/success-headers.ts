import { PLANS, type Plan, type Quota, tierOf } from '~/domain/quota.ts'
import { movingQuota, quotaHeaders } from './quota.ts'

type Success = { readonly plan: Plan; readonly quota: Quota; readonly nowMs: number }

type Route = {
  readonly isTiered: boolean
  /** What every answer of the service says to browsers, where the route says it itself. */
  readonly guards?: Readonly<Record<string, string>>
}

/** What is the same on every reply of a plan until `resetMs`, and what is not. */
type Kept = { readonly headers: Headers; resetMs: number }

/**
 * The headers of the successes of one route, which answers JSON.
 *
 * Each plan has one set that is changed in place: a Response copies the set that it is given, which
 * costs a fifth of reading a record.
 */
export class SuccessHeaders {
  readonly #byPlan: ReadonlyMap<Plan, Kept>

  constructor({ isTiered, guards = {} }: Route) {
    this.#byPlan = new Map(
      PLANS.map((plan) => {
        const headers = new Headers({ 'content-type': 'application/json', ...guards })
        if (isTiered) headers.set('x-data-freshness', tierOf(plan))
        return [plan, { headers, resetMs: Number.NaN }]
      }),
    )
  }

  /** Good until the next call; what a caller adds has to be added anew each time. */
  of({ plan, quota, nowMs }: Success): Headers {
    const kept = this.#byPlan.get(plan)!
    const { headers } = kept
    if (kept.resetMs === quota.resetMs) {
      const { remaining, policyState } = movingQuota(quota, nowMs)
      headers.set('x-ratelimit-remaining', remaining)
      headers.set('ratelimit', policyState)
    } else {
      const all = quotaHeaders(quota, nowMs)
      for (const name in all) headers.set(name, all[name]!)
      kept.resetMs = quota.resetMs
    }
    return headers
  }
}
