import type { Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { dayOf, type Plan, type Quota, quotaOf } from '~/domain/quota.ts'
import type { Reservation, UsageMeter } from '~/memory/usage-meter.ts'

type QuotaLimits = Readonly<Record<Plan, number>>

export type Metering = { readonly meter: UsageMeter; readonly limits: QuotaLimits }

/** How much of today's quota the caller's account has used and has left. */
export function quotaAt({ meter, limits }: Metering, caller: Caller, nowMs: number): Quota {
  const day = dayOf(nowMs)
  const used = meter.used(caller.account.id, day)
  return quotaOf({ limit: limits[caller.account.plan], used, day })
}

/** The quota of the caller's account right after it took a unit. */
export const quotaAfter = ({ limits }: Metering, caller: Caller, unit: Reservation): Quota =>
  quotaOf({ limit: limits[caller.account.plan], used: unit.usage.total, day: unit.day })

/**
 * Takes one unit of today's budget before the work is done; the caller of this function gives it
 * back if the work fails. Where none is left it takes nothing and returns `quota_exceeded`, which
 * is not thrown: that would cost too much for callers that are refused often. It answers
 * asynchronously only where this process has used up its share of the budget and waits for another.
 */
export function reserveUnit(
  metering: Metering,
  caller: Caller,
  nowMs: number,
): Reservation | ServiceError | Promise<Reservation | ServiceError> {
  const { plan, id: accountId } = caller.account
  const limit = metering.limits[plan]
  const unit = metering.meter.reserve({ accountId, keyId: caller.key.id, limit, nowMs })
  if (unit instanceof Promise) return unit.then(() => reserveUnit(metering, caller, nowMs))
  return unit ?? quotaExceeded(plan, quotaAt(metering, caller, nowMs), nowMs)
}

/**
 * The last refusal of each plan: within one second they are all alike.
 *
 * Cache 10 of a read, see docs/architecture.md.
 */
const refusals = new Map<Plan, ServiceError>()

function quotaExceeded(plan: Plan, { limit, resetMs }: Quota, nowMs: number): ServiceError {
  const [reset, waitSeconds] = [resetMs / 1000, Math.ceil((resetMs - nowMs) / 1000)]
  const last = refusals.get(plan)
  const { limit: lastLimit, reset: lastReset } = last?.details ?? {}
  if (last?.retryAfterSeconds === waitSeconds && lastLimit === limit && lastReset === reset)
    return last
  const refusal = new ServiceError(
    'quota_exceeded',
    `all ${limit} requests of today's ${plan} plan are used; ` +
      'wait for the reset at the next UTC midnight or move to a larger plan',
    { limit, reset },
    waitSeconds,
  )
  refusals.set(plan, refusal)
  return refusal
}
