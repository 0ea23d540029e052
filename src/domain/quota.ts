import { DAY_MS } from './duration.ts'
import type { Tier } from './freshness.ts'

export const PLANS = ['free', 'pro', 'enterprise'] as const
export const ROLES = ['member', 'treasury', 'admin'] as const

export type Plan = (typeof PLANS)[number]
export type Role = (typeof ROLES)[number]

export const tierOf = (plan: Plan): Tier => (plan === 'enterprise' ? 'realtime' : 'hourly')

export const mayIngest = (role: Role): boolean => role !== 'member'

/** The UTC day that holds `ms`, counted from 1970-01-01. */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)

/** One key's UTC day, in days since 1970-01-01. */
export type KeyDay = { readonly accountId: string; readonly keyId: string; readonly day: number }
/** What a key used on a day. */
export type UsageCount = KeyDay & { readonly requests: number }

/** Where an account stands in one UTC day. */
export type Quota = {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** The next UTC midnight. */
  readonly resetMs: number
}

export function quotaOf({ limit, used, day }: { limit: number; used: number; day: number }): Quota {
  return { limit, used, remaining: Math.max(0, limit - used), resetMs: (day + 1) * DAY_MS }
}
