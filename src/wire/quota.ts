import { DAY_MS, type Quota } from '~/domain/quota.ts'

/**
 * The budget as the X-RateLimit fields and as the IETF fields say it.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function quotaHeaders(quota: Quota, nowMs: number): Record<string, string> {
  const { limit, resetMs } = quota
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-reset': String(resetMs / 1000),
    'ratelimit-policy': `"day";q=${limit};w=${DAY_MS / 1000}`,
    ...movingQuotaHeaders(quota, nowMs),
  }
}

/** Those of them that differ between two requests of a day. */
export function movingQuotaHeaders(
  { remaining, resetMs }: Quota,
  nowMs: number,
): Record<string, string> {
  const waitSeconds = Math.ceil((resetMs - nowMs) / 1000)
  return {
    'x-ratelimit-remaining': String(remaining),
    ratelimit: `"day";r=${remaining};t=${waitSeconds}`,
  }
}
