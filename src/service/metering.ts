import type { Caller } from '~/domain/account.ts'
import { ServiceError } from '~/domain/errors.ts'
import { dayOf, type Plan, type Quota, quotaOf } from '~/domain/quota.ts'
import type { Reservation, UsageMeter } from '~/memory/usage-meter.ts'

type QuotaLimits = Readonly<Record<Plan, number>>

export type Metering = { readonly meter: UsageMeter; readonly limits: QuotaLimits }

/**
 * Used and remaining quota of the caller's account today; for a read-only key those of the key's
 * own budget, and never more than the account has left.
 */
export function quotaAt(metering: Metering, caller: Caller, nowMs: number): Quota {
  const { meter } = metering
  const day = dayOf(nowMs)
  const used = meter.used(caller.account.id, day)
  return quotaOfKey(metering, caller, { used, day })
}

function quotaOfKey(
  { meter, limits }: Metering,
  { account, key }: Caller,
  { used, day }: { used: number; day: number },
): Quota {
  const limit = limits[account.plan]
  const { dailyBudget = null } = key
  if (dailyBudget === null) return quotaOf({ limit, used, day })
  const own = meter.usedBy({ accountId: account.id, keyId: key.id, day })
  const left = Math.min(dailyBudget - own, limit - used)
  return quotaOf({ limit: dailyBudget, used: dailyBudget - left, day })
}

export const quotaAfter = (metering: Metering, caller: Caller, unit: Reservation): Quota =>
  quotaOfKey(metering, caller, { used: unit.usage.total, day: unit.day })

/**
 * Takes one unit of today's budget before the work is done; the caller of this function returns it
 * if the work fails. If none is left it takes nothing and returns `quota_exceeded`, which is not
 * thrown: that would cost too much for callers that are refused often. Asynchronous only if this
 * process has used up its share of the budget and waits for another.
 */
export function reserveUnit(
  metering: Metering,
  caller: Caller,
  nowMs: number,
): Reservation | ServiceError | Promise<Reservation | ServiceError> {
  const { plan, id: accountId } = caller.account
  const limit = metering.limits[plan]
  const { id: keyId, dailyBudget: keyLimit = null } = caller.key
  const unit = metering.meter.reserve({ accountId, keyId, limit, keyLimit, nowMs })
  if (unit instanceof Promise) return unit.then(() => reserveUnit(metering, caller, nowMs))
  if (unit) return unit
  const isKeyUsedUp = metering.meter.used(accountId, dayOf(nowMs)) < limit
  const quota = quotaAt(metering, caller, nowMs)
  if (isKeyUsedUp) return keyUsedUp(quota, nowMs)
  if (keyLimit === null) return sharedRefusal(plan, quota, nowMs)
  return quotaExceeded(plan, { ...quota, limit }, nowMs)
}

const keyUsedUp = ({ limit, resetMs }: Quota, nowMs: number): ServiceError =>
  new ServiceError(
    'quota_exceeded',
    `all ${limit} requests a day of this read-only key are used; wait for the reset at the next ` +
      'UTC midnight, or create a key with a larger budget',
    { limit, reset: resetMs / 1000 },
    Math.ceil((resetMs - nowMs) / 1000),
  )

/**
 * The last refusal of each plan: within one second they are all the same, but for read-only keys,
 * whose headers state limits of their own.
 *
 * Cache 10 of a read, see docs/architecture.md.
 */
const refusals = new Map<Plan, ServiceError>()

function sharedRefusal(plan: Plan, quota: Quota, nowMs: number): ServiceError {
  const { limit, resetMs } = quota
  const [reset, waitSeconds] = [resetMs / 1000, Math.ceil((resetMs - nowMs) / 1000)]
  const last = refusals.get(plan)
  const { limit: lastLimit, reset: lastReset } = last?.details ?? {}
  if (last?.retryAfterSeconds === waitSeconds && lastLimit === limit && lastReset === reset)
    return last
  const refusal = quotaExceeded(plan, quota, nowMs)
  refusals.set(plan, refusal)
  return refusal
}

const quotaExceeded = (plan: Plan, { limit, resetMs }: Quota, nowMs: number): ServiceError =>
  new ServiceError(
    'quota_exceeded',
    `all ${limit} requests of today's ${plan} plan are used; ` +
      'wait for the reset at the next UTC midnight or move to a larger plan',
    { limit, reset: resetMs / 1000 },
    Math.ceil((resetMs - nowMs) / 1000),
  )
