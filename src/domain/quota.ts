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
export type UsageCount = KeyDay & { readonly requests: number }

/** The UTC days from `day` to `day + days - 1`. */
export type DaySpan = { readonly day: number; readonly days: number }

/** Usage and limit of an account on one UTC day. */
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

/** A process's request for units of an account's day, which it may spend before reporting them. */
export type ShareAsk = {
  readonly accountId: string
  readonly day: number
  readonly limit: number
  /** Rest of the process's share. */
  readonly held: number
  /** False if the process only reports its remaining units. */
  readonly isMore: boolean
}

/** A process's share of an account's day. */
export type Share = {
  readonly accountId: string
  readonly day: number
  /** The number of units that the process may spend beyond everything counted so far. */
  readonly units: number
  /** Says whether everything counted and held by all processes together is within the limit. */
  readonly isWithin: boolean
}

/** Counts to be written, and shares to be taken with them. */
export type UsageBatch = {
  readonly counts: readonly UsageCount[]
  readonly asks: readonly ShareAsk[]
}

/** The totals after a batch, and the shares taken with it. */
export type Settlement = {
  readonly totals: readonly UsageCount[]
  readonly shares: readonly Share[]
}

/** Amount by which all processes together may exceed a limit, at most. */
export const overshootMax = (limit: number): number => Math.floor(limit / 10)

/**
 * Units that the process in a slot may spend ahead of its share: half of what the slots before it
 * leave of the overshoot, at least one unit. All slots together never exceed the overshoot, so no
 * process has to know how many others there are.
 */
export function advanceOf(limit: number, slot: number): number {
  let left = overshootMax(limit)
  for (let before = 0; before < slot; before++) left -= Math.ceil(left / 2)
  return Math.ceil(left / 2)
}
