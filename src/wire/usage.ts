import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS } from '~/domain/duration.ts'
import { PLANS } from '~/domain/quota.ts'
import type { Usage } from '~/service/usage.ts'
import { Instant, namedRecord, record, words } from './fields.ts'
import { iso } from './present.ts'

export const UsageResponse = namedRecord('UsageResponse', {
  plan: words(PLANS),
  period_start: Instant,
  period_end: Instant,
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  reset: Type.Integer({ description: 'Epoch seconds of the next UTC midnight.' }),
  key: record({ id: Type.String(), name: Type.String() }),
  keys_today: Type.Array(
    record({ key_id: Type.String(), name: Type.String(), requests: Type.Integer() }),
  ),
  daily_history: Type.Array(
    record({ date: Type.String({ format: 'date' }), requests: Type.Integer() }),
  ),
  timestamp: Instant,
})

export function presentUsage(usage: Usage, nowMs: number): Static<typeof UsageResponse> {
  const { caller, quota, day } = usage
  return {
    plan: caller.account.plan,
    period_start: iso(day * DAY_MS),
    period_end: iso(quota.resetMs),
    limit: quota.limit,
    used: quota.used,
    remaining: quota.remaining,
    reset: quota.resetMs / 1000,
    key: { id: caller.key.id, name: caller.key.name },
    keys_today: usage.keysToday.map(({ keyId, name, requests }) => ({
      key_id: keyId,
      name,
      requests,
    })),
    daily_history: usage.history.map((past) => ({
      date: iso(past.day * DAY_MS).slice(0, 10),
      requests: past.requests,
    })),
    timestamp: iso(nowMs),
  }
}
