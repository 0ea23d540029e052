import type { Freshness } from '~/domain/freshness.ts'
import type { Mid } from '~/domain/mid.ts'
import { roundAmount } from '~/domain/round.ts'

export const iso = (ms: number): string => new Date(ms).toISOString()

/** The closing members of every answer that has a tier; `as_of` only for the hourly one. */
export function presentFreshness({ tier, nowMs, cutoffMs }: Freshness) {
  return {
    timestamp: iso(nowMs),
    data_freshness: tier,
    ...(tier === 'hourly' && { as_of: iso(cutoffMs) }),
  }
}

/** The three mid members, or none of them. */
export function presentMid(mid: Mid | null) {
  if (!mid) return {}
  return {
    mid_rate: roundAmount(mid.rate),
    mid_source: mid.source,
    mid_fetched_at: iso(mid.atMs),
  }
}
