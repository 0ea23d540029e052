import { describe, expect, test } from 'bun:test'
import type { Account } from '~/domain/account.ts'
import { keyHashOf, newApiKey } from '~/domain/api-key.ts'
import { granted, ServiceError } from '~/domain/errors.ts'
import { PLANS, ROLES } from '~/domain/quota.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import {
  assertMayIngest,
  assertMayRecordFor,
  callerOf as callerOrRefusal,
} from '~/service/access.ts'

const random = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const NOW_MS = 1000
const TEXT = newApiKey(random)
const ACCOUNT = { id: 'acc', email: 'a@example.com', plan: 'free', role: 'member' } as const
const KEY = {
  id: 'k',
  accountId: 'acc',
  name: 'k',
  hash: keyHashOf(TEXT),
  lastFour: null,
  revokedMs: null,
}
const KEYS = KeyIndex.empty.with({ accounts: [ACCOUNT], keys: [KEY] })

const memoryOf = (keys: KeyIndex) => ({ memory: { current: { keys } } })

const callerOf = async (...asked: Parameters<typeof callerOrRefusal>) =>
  granted(await callerOrRefusal(...asked))

async function codeOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error.code
    throw error
  }
}

describe('callerOf', () => {
  test('returns the key, its account and the tier of the plan', async () => {
    expect(await callerOf(memoryOf(KEYS), TEXT, NOW_MS)).toEqual({
      key: KEY,
      account: ACCOUNT,
      tier: 'hourly',
    })
    const tiers: string[] = []
    for (const plan of PLANS) {
      const keys = KEYS.with({ accounts: [{ ...ACCOUNT, plan }], keys: [] })
      tiers.push((await callerOf(memoryOf(keys), TEXT, NOW_MS)).tier)
    }
    expect(tiers).toEqual(['hourly', 'hourly', 'realtime'])
  })

  test('reports no key and an empty one as missing', async () => {
    expect(await codeOf(() => callerOf(memoryOf(KEYS), null, NOW_MS))).toBe('missing_key')
    expect(await codeOf(() => callerOf(memoryOf(KEYS), '', NOW_MS))).toBe('missing_key')
  })

  test('reports a malformed, a mistyped, an unknown, a doubled and a 10 kB key as invalid', async () => {
    for (const text of [
      'x',
      ' ',
      TEXT.slice(0, -1),
      `${TEXT.slice(0, -1)}${TEXT.endsWith('0') ? '1' : '0'}`,
      newApiKey(random),
      `${TEXT}, ${TEXT}`,
      TEXT.toLowerCase(),
      'k'.repeat(10_240),
      `crd_${'k'.repeat(10_240)}`,
      keyHashOf(TEXT),
    ])
      expect(await codeOf(() => callerOf(memoryOf(KEYS), text, NOW_MS))).toBe('invalid_key')
  })

  test('reports a key of an unknown account as invalid', async () => {
    const keys = KeyIndex.empty.with({ accounts: [], keys: [KEY] })
    expect(await codeOf(() => callerOf(memoryOf(keys), TEXT, NOW_MS))).toBe('invalid_key')
  })

  test('reports a revoked key with an error of its own', async () => {
    const keys = KEYS.with({ accounts: [], keys: [{ ...KEY, revokedMs: 5 }] })
    expect(await codeOf(() => callerOf(memoryOf(keys), TEXT, NOW_MS))).toBe('revoked_key')
    const others = keys.with({ accounts: [], keys: [KEY] })
    expect(await codeOf(() => callerOf(memoryOf(others), TEXT, NOW_MS))).toBeNull()
  })

  test('accepts a key that will end until the millisecond before its end', async () => {
    const keys = KEYS.with({ accounts: [], keys: [{ ...KEY, revokedMs: NOW_MS }] })
    expect(await codeOf(() => callerOf(memoryOf(keys), TEXT, NOW_MS - 1))).toBeNull()
    expect(await codeOf(() => callerOf(memoryOf(keys), TEXT, NOW_MS))).toBe('revoked_key')
  })

  test('never repeats the given key in an error', async () => {
    for (const text of [newApiKey(random), 'some-other-secret'])
      try {
        await callerOf(memoryOf(KEYS), text, NOW_MS)
        expect.unreachable()
      } catch (error) {
        expect(JSON.stringify([(error as Error).message, error])).not.toContain(text)
      }
  })
})

describe('assertMayIngest', () => {
  test('allows treasury and admin, and forbids a member', async () => {
    const answers = ROLES.map((role) => {
      const keys = KEYS.with({ accounts: [{ ...ACCOUNT, role }], keys: [] })
      return codeOf(async () => assertMayIngest(await callerOf(memoryOf(keys), TEXT, NOW_MS)))
    })
    expect(await Promise.all(answers)).toEqual(['forbidden', null, null])
  })
})

describe('assertMayRecordFor', () => {
  const codeFor = (providerIds: string[], account: Partial<Account>) => {
    const caller = { account: { ...ACCOUNT, role: 'treasury', ...account } as const }
    return codeOf(async () => assertMayRecordFor(caller, providerIds))
  }

  test('an account that is limited to providers may record for these alone', async () => {
    const limited = { providers: ['a', 'b'] }
    expect(await codeFor(['b', 'a'], limited)).toBeNull()
    expect(await codeFor(['a', 'c'], limited)).toBe('forbidden')
    expect(await codeFor(['a'], { providers: [] })).toBe('forbidden')
  })

  test('without a limit it may record for all, and so may an admin', async () => {
    expect(await codeFor(['c'], { providers: null })).toBeNull()
    expect(await codeFor(['c'], { role: 'admin', providers: ['a'] })).toBeNull()
  })
})
