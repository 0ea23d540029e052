import { DAY_MS, type Quota } from '~/domain/quota.ts'

/**
 * The budget as the X-RateLimit fields and as the IETF fields say it.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function quotaHeaders(quota: Quota, nowMs: number): Record<string, string> {
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
