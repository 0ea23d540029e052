import { ServiceError } from '~/domain/errors.ts'
import { dayOf, type Plan, type Quota, quotaOf } from '~/domain/quota.ts'
import type { Reservation, UsageMeter } from '~/memory/usage-meter.ts'
import type { Caller } from './access.ts'

export type QuotaLimits = Readonly<Record<Plan, number>>

export type Metering = { readonly meter: UsageMeter; readonly limits: QuotaLimits }

/** Where the caller's account stands today. */
export function quotaAt({ meter, limits }: Metering, caller: Caller, nowMs: number): Quota {
  const day = dayOf(nowMs)
  const used = meter.used(caller.account.id, day)
  return quotaOf({ limit: limits[caller.account.plan], used, day })
}

/**
 * Takes one unit of today's budget before the work is done; the caller of this function gives it
 * back if the work fails. Throws `quota_exceeded`, and then takes nothing.
 */
export function reserveUnit(metering: Metering, caller: Caller, nowMs: number): Reservation {
  const { meter, limits } = metering
  const limit = limits[caller.account.plan]
  const request = { accountId: caller.account.id, keyId: caller.key.id, limit, nowMs }
  const reservation = meter.reserve(request)
  if (reservation) return reservation
  const { resetMs } = quotaAt(metering, caller, nowMs)
  throw new ServiceError(
    'quota_exceeded',
    `all ${limit} requests of today's ${caller.account.plan} plan are used; ` +
      'wait for the reset at the next UTC midnight or move to a larger plan',
    { limit, reset: resetMs / 1000 },
    Math.ceil((resetMs - nowMs) / 1000),
  )
}
