import { describe, expect, test } from 'bun:test'
import type { Caller, Key } from '~/domain/account.ts'
import { DAY_MS } from '~/domain/duration.ts'
import { granted, ServiceError } from '~/domain/errors.ts'
import { dayOf } from '~/domain/quota.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import { UsageMeter } from '~/memory/usage-meter.ts'
import { type Metering, quotaAt, reserveUnit as unitOrRefusal } from '~/service/metering.ts'
import { usageOf } from '~/service/usage.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const MIDNIGHT_MS = Date.parse('2026-03-06T00:00:00.000Z')
const DAY = dayOf(NOW_MS)
const ACCOUNT = { id: 'acc', email: 'a@example.com', plan: 'pro', role: 'member' } as const

const key = (id: string, revokedMs: number | null = null): Key => ({
  id,
  accountId: 'acc',
  name: `name of ${id}`,
  hash: `hash-${id}`,
  lastFour: null,
  revokedMs,
})
const CALLER: Caller = { key: key('k'), account: ACCOUNT, tier: 'hourly' }

const metering = (): Metering => ({
  meter: new UsageMeter(),
  limits: { free: 1, pro: 3, enterprise: 1000 },
})

/** A meter whose first request waits. */
class WaitingMeter extends UsageMeter {
  #isFirst = true

  override reserve(request: Parameters<UsageMeter['reserve']>[0]) {
    if (!this.#isFirst) return super.reserve(request)
    this.#isFirst = false
    return Promise.resolve()
  }
}

const reserveUnit = async (...asked: Parameters<typeof unitOrRefusal>) =>
  granted(await unitOrRefusal(...asked))

async function failureOf(work: () => Promise<unknown>): Promise<ServiceError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof ServiceError) return error
  }
  throw new Error('no ServiceError')
}

describe('reserveUnit', () => {
  test('gives units up to the limit of the plan, and none beyond', async () => {
    const deps = metering()
    for (let used = 1; used <= 3; used++) {
      await reserveUnit(deps, CALLER, NOW_MS)
      expect(quotaAt(deps, CALLER, NOW_MS)).toMatchObject({ used, remaining: 3 - used, limit: 3 })
    }
    expect((await failureOf(() => reserveUnit(deps, CALLER, NOW_MS))).code).toBe('quota_exceeded')
    expect(quotaAt(deps, CALLER, NOW_MS).used).toBe(3)
  })

  test('has the limit, the reset in epoch seconds and the time until then in its error', async () => {
    const deps = { ...metering(), limits: { free: 0, pro: 0, enterprise: 0 } }
    const refusal = await failureOf(() => reserveUnit(deps, CALLER, NOW_MS))
    expect(refusal.details).toEqual({ limit: 0, reset: MIDNIGHT_MS / 1000 })
    expect(refusal.retryAfterSeconds).toBe(34_470)
    const last = await failureOf(() => reserveUnit(deps, CALLER, MIDNIGHT_MS - 1))
    expect(last.retryAfterSeconds).toBe(1)
  })

  test('follows the plan of the account', async () => {
    const deps = metering()
    const free: Caller = { ...CALLER, account: { ...ACCOUNT, plan: 'free' } }
    await reserveUnit(deps, free, NOW_MS)
    expect((await failureOf(() => reserveUnit(deps, free, NOW_MS))).code).toBe('quota_exceeded')
    await reserveUnit(deps, CALLER, NOW_MS)
  })

  test('renews the budget at UTC midnight', async () => {
    const deps = metering()
    for (let i = 0; i < 3; i++) await reserveUnit(deps, CALLER, MIDNIGHT_MS - 1)
    expect((await failureOf(() => reserveUnit(deps, CALLER, MIDNIGHT_MS - 1))).code).toBe(
      'quota_exceeded',
    )
    await reserveUnit(deps, CALLER, MIDNIGHT_MS)
    expect(quotaAt(deps, CALLER, MIDNIGHT_MS)).toEqual({
      limit: 3,
      used: 1,
      remaining: 2,
      resetMs: MIDNIGHT_MS + DAY_MS,
    })
  })

  test('has on the next day, at the same time, the reset of that day in its error', async () => {
    const deps = { ...metering(), limits: { free: 0, pro: 0, enterprise: 0 } }
    for (const days of [0, 1]) {
      const refusal = await failureOf(() => reserveUnit(deps, CALLER, NOW_MS + days * DAY_MS))
      expect(refusal.details).toEqual({ limit: 0, reset: (MIDNIGHT_MS + days * DAY_MS) / 1000 })
    }
  })

  test('takes a unit after it waited for those of another process', async () => {
    const deps = { ...metering(), meter: new WaitingMeter() }
    const unit = await reserveUnit(deps, CALLER, NOW_MS)
    expect(deps.meter.usedBy(unit)).toBe(1)
    expect(quotaAt(deps, CALLER, NOW_MS).used).toBe(1)
  })

  test('gives a read-only key units of its own, but no more than its account has left', async () => {
    const deps = metering()
    const reader: Caller = { ...CALLER, key: { ...key('r'), dailyBudget: 2 } }
    await reserveUnit(deps, CALLER, NOW_MS)
    expect(quotaAt(deps, reader, NOW_MS)).toMatchObject({ limit: 2, used: 0, remaining: 2 })
    await reserveUnit(deps, CALLER, NOW_MS)
    expect(quotaAt(deps, reader, NOW_MS)).toMatchObject({ limit: 2, used: 1, remaining: 1 })
    expect(quotaAt(deps, CALLER, NOW_MS)).toMatchObject({ limit: 3, used: 2, remaining: 1 })
  })

  test("has a read-only key's own limit, the reset and the wait in its error", async () => {
    const deps = metering()
    const reader: Caller = { ...CALLER, key: { ...key('r'), dailyBudget: 1 } }
    await reserveUnit(deps, reader, NOW_MS)
    const refusal = await failureOf(() => reserveUnit(deps, reader, NOW_MS))
    expect(refusal.code).toBe('quota_exceeded')
    expect(refusal.details).toEqual({ limit: 1, reset: MIDNIGHT_MS / 1000 })
    expect(refusal.retryAfterSeconds).toBe(34_470)
    await reserveUnit(deps, CALLER, NOW_MS)
  })
})

describe('usageOf', () => {
  const usageAt = (deps: Metering, nowMs = NOW_MS, ...keys: Key[]) =>
    usageOf(
      { ...deps, keys: KeyIndex.empty.with({ accounts: [ACCOUNT], keys }) },
      { caller: CALLER, nowMs },
    )
  const loaded = (...counts: [keyId: string, day: number, requests: number][]) => {
    const deps = metering()
    deps.meter.load(
      counts.map(([keyId, day, requests]) => ({ accountId: 'acc', keyId, day, requests })),
    )
    return deps
  }

  test('returns seven days, oldest first and today last, with zero for days without use', () => {
    const { history } = usageAt(loaded(['k', DAY, 2], ['k', DAY - 3, 5], ['l', DAY - 3, 1]))
    expect(history.map(({ day }) => day - DAY)).toEqual([-6, -5, -4, -3, -2, -1, 0])
    expect(history.map(({ requests }) => requests)).toEqual([0, 0, 0, 6, 0, 0, 2])
  })

  test('includes the seventh day, and not the eighth', () => {
    const { history } = usageAt(loaded(['k', DAY - 6, 9], ['k', DAY - 7, 4]))
    expect(history.map(({ requests }) => requests)).toEqual([9, 0, 0, 0, 0, 0, 0])
  })

  test('moves the days with UTC midnight', () => {
    const deps = loaded(['k', DAY, 2])
    const before = usageAt(deps, MIDNIGHT_MS - 1)
    const after = usageAt(deps, MIDNIGHT_MS)
    expect(before.history.at(-1)).toEqual({ day: DAY, requests: 2 })
    expect(after.history.at(-2)).toEqual({ day: DAY, requests: 2 })
    expect(after.history.at(-1)).toEqual({ day: DAY + 1, requests: 0 })
    expect(after.quota.used).toBe(0)
  })

  test('returns every active key, with zero if unused, and a revoked one only if it was used today', () => {
    const deps = loaded(['used', DAY, 2], ['was-used', DAY, 3], ['long-gone', DAY - 1, 9])
    const { keysToday } = usageAt(
      deps,
      NOW_MS,
      key('used'),
      key('unused'),
      key('was-used', NOW_MS - 1),
      key('long-gone', NOW_MS - DAY_MS),
    )
    expect(keysToday).toEqual([
      { keyId: 'used', name: 'name of used', requests: 2 },
      { keyId: 'unused', name: 'name of unused', requests: 0 },
      { keyId: 'was-used', name: 'name of was-used', requests: 3 },
    ])
  })

  test('leaves out a revoked key whose only unit was given back', async () => {
    const deps = metering()
    deps.meter.giveBack(await reserveUnit(deps, CALLER, NOW_MS))
    expect(usageAt(deps, NOW_MS, key('k', NOW_MS)).keysToday).toEqual([])
  })

  test('costs nothing', () => {
    const deps = metering()
    usageAt(deps)
    expect(usageAt(deps).quota).toMatchObject({ used: 0, remaining: 3 })
  })
})
