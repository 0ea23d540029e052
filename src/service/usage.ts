import { type Caller, isRevoked } from '~/domain/account.ts'
import { dayOf, type Quota } from '~/domain/quota.ts'
import type { KeyIndex } from '~/memory/key-index.ts'
import { USAGE_DAYS } from '~/memory/usage-meter.ts'
import { type Metering, quotaAt } from './metering.ts'

export type Usage = {
  readonly caller: Caller
  readonly quota: Quota
  readonly day: number
  /** Every key that is in use or was used today. */
  readonly keysToday: readonly { keyId: string; name: string; requests: number }[]
  /** Units of each day, oldest first, today last, 0 for days without use. */
  readonly history: readonly { day: number; requests: number }[]
}

/** Usage of the caller's account, today and over the last days. */
export function usageOf(
  deps: Metering & { keys: KeyIndex },
  { caller, nowMs }: { caller: Caller; nowMs: number },
): Usage {
  const { meter, keys } = deps
  const accountId = caller.account.id
  const day = dayOf(nowMs)
  const today = meter.byKey(accountId, day)
  const shown = keys.keysOf(accountId).filter((key) => !isRevoked(key, nowMs) || today.get(key.id))
  return {
    caller,
    quota: quotaAt(deps, caller, nowMs),
    day,
    keysToday: shown.map(({ id, name }) => ({ keyId: id, name, requests: today.get(id) ?? 0 })),
    history: Array.from({ length: USAGE_DAYS }, (_, i) => {
      const past = day - USAGE_DAYS + 1 + i
      return { day: past, requests: meter.used(accountId, past) }
    }),
  }
}
