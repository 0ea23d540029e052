import { DAY_MS } from '~/domain/duration.ts'
import type { Quota } from '~/domain/quota.ts'

/** For responses that no proxy may keep or change, such as streams. */
export const NO_STORE = 'no-store, no-transform'

/**
 * The budget in X-RateLimit headers and in the IETF's headers.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 *
 * A response with a budget belongs to one account, which a shared cache could not identify by
 * X-API-Key.
 */
export function quotaHeaders(quota: Quota, nowMs: number): Record<string, string> {
  const { limit, resetMs } = quota
  const moving = movingQuota(quota, nowMs)
  return {
    'cache-control': 'private, no-cache',
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-reset': String(resetMs / 1000),
    'ratelimit-policy': `"day";q=${limit};w=${DAY_MS / 1000}`,
    'x-ratelimit-remaining': moving.remaining,
    ratelimit: moving.policyState,
  }
}

/**
 * The two headers that differ between requests of a day: `X-RateLimit-Remaining` and `RateLimit`.
 */
export function movingQuota({ remaining, resetMs }: Quota, nowMs: number) {
  const waitSeconds = Math.ceil((resetMs - nowMs) / 1000)
  const left = String(remaining)
  return { remaining: left, policyState: `"day";r=${left};t=${waitSeconds}` }
}
