import type { Account, ListedKey } from '~/domain/account.ts'
import { type DaySpan, dayOf, type Quota, quotaOf, type UsageCount } from '~/domain/quota.ts'
import type { Metering } from './metering.ts'

/** The number of days that are shown, today included. */
export const SHOWN_DAYS = 30

export type OwnUsageDeps = {
  readonly keyStore: {
    /** The account's keys in order of creation, revoked ones included. */
    listKeys(accountId: string): Promise<readonly ListedKey[]>
  }
  readonly metering: Metering
  readonly usage: {
    ofAccounts(accountIds: readonly string[], span: DaySpan): Promise<readonly UsageCount[]>
  }
}

export type KeyUsage = {
  readonly key: ListedKey
  /** Units used on each day, oldest first, today last. */
  readonly days: readonly number[]
  readonly total: number
  /** The last day with any use; null when there is none. */
  readonly lastDay: number | null
}

export type OwnUsage = {
  readonly quota: Quota
  readonly firstDay: number
  /** Every key the account ever had, in order of creation. */
  readonly keys: readonly KeyUsage[]
}

/** Usage of an account and each of its keys over the last days; today is counted live. */
export async function ownUsageOf(
  { metering, usage, keyStore }: OwnUsageDeps,
  { account, nowMs }: { account: Account; nowMs: number },
): Promise<OwnUsage> {
  const today = dayOf(nowMs)
  const firstDay = today - SHOWN_DAYS + 1
  const [keys, counts] = await Promise.all([
    keyStore.listKeys(account.id),
    usage.ofAccounts([account.id], { day: firstDay, days: SHOWN_DAYS }),
  ])
  const live = metering.meter.byKey(account.id, today)
  const limit = metering.limits[account.plan]
  return {
    quota: quotaOf({ limit, used: metering.meter.used(account.id, today), day: today }),
    firstDay,
    keys: keys.map((key) => {
      const days = Array<number>(SHOWN_DAYS).fill(0)
      for (const { keyId, day, requests } of counts)
        if (keyId === key.id) days[day - firstDay] = requests
      days[SHOWN_DAYS - 1] = live.get(key.id) ?? 0
      const last = days.findLastIndex((requests) => requests > 0)
      const total = days.reduce((sum, requests) => sum + requests, 0)
      return { key, days, total, lastDay: last < 0 ? null : firstDay + last }
    }),
  }
}
