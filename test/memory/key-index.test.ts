import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Account, Key } from '~/domain/account.ts'
import { keyHashOf } from '~/domain/api-key.ts'
import { KeyIndex } from '~/memory/key-index.ts'
import { newKey } from '~/runtime/new-key.ts'

const account = (id: string, more: Partial<Account> = {}): Account => ({
  id,
  email: `${id}@example.com`,
  plan: 'free',
  role: 'member',
  ...more,
})
const key = (id: string, accountId: string, more: Partial<Key> = {}): Key => ({
  id,
  accountId,
  name: id,
  hash: `hash-${id}`,
  lastFour: null,
  revokedMs: null,
  ...more,
})

describe('KeyIndex', () => {
  test('finds a key by its hash and an account by its id, and nothing else', () => {
    const index = KeyIndex.empty.with({ accounts: [account('a')], keys: [key('k', 'a')] })
    expect(index.keyByHash('hash-k')).toEqual(key('k', 'a'))
    expect(index.account('a')).toEqual(account('a'))
    expect(index.keyByHash('k')).toBeUndefined()
    expect(index.account('b')).toBeUndefined()
    expect(index.keysOf('b')).toEqual([])
    expect(index.keyCount).toBe(1)
  })

  test('finds a new key whose string was none before, however many others are tried', () => {
    const before = KeyIndex.empty.with({ accounts: [account('a')], keys: [] })
    const texts = Array.from({ length: 2500 }, () => newKey().key)
    for (const text of [...texts, ...texts]) expect(before.callerOf(text)).toBeUndefined()
    const own = key('k', 'a', { hash: keyHashOf(texts[0]!) })
    expect(before.with({ accounts: [], keys: [own] }).callerOf(texts[0]!)?.key).toBe(own)
  })

  test('replaces a changed key or account', () => {
    const index = KeyIndex.empty
      .with({ accounts: [account('a')], keys: [key('k', 'a'), key('l', 'a')] })
      .with({ accounts: [account('a', { plan: 'pro' })], keys: [key('k', 'a', { revokedMs: 5 })] })
    expect(index.account('a')?.plan).toBe('pro')
    expect(index.keyByHash('hash-k')?.revokedMs).toBe(5)
    expect(index.keysOf('a').map(({ id, revokedMs }) => [id, revokedMs])).toEqual([
      ['k', 5],
      ['l', null],
    ])
    expect(index.keyCount).toBe(2)
  })

  test("does not change a reader's version with a revocation", () => {
    const before = KeyIndex.empty.with({ accounts: [account('a')], keys: [key('k', 'a')] })
    before.with({ accounts: [], keys: [key('k', 'a', { revokedMs: 5 })] })
    expect(before.keyByHash('hash-k')?.revokedMs).toBeNull()
    expect(before.keysOf('a')[0]?.revokedMs).toBeNull()
  })

  test('agrees with plain maps, with the keys of an account in order of appearance', () => {
    const changes = fc.array(
      fc.record({
        id: fc.constantFrom('k1', 'k2', 'k3', 'k4'),
        revokedMs: fc.option(fc.constantFrom(1, 2)),
      }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 6 }), (batches) => {
        const ownerOf = (id: string) => (id < 'k3' ? 'a' : 'b')
        let index = KeyIndex.empty
        const oracle = new Map<string, Key>()
        for (const batch of batches) {
          const keys = batch.map(({ id, revokedMs }) => key(id, ownerOf(id), { revokedMs }))
          index = index.with({ accounts: [], keys })
          for (const changed of keys) oracle.set(changed.id, changed)
        }
        for (const owner of ['a', 'b'])
          expect(index.keysOf(owner)).toEqual(
            [...oracle.values()].filter(({ accountId }) => accountId === owner),
          )
        for (const known of oracle.values()) expect(index.keyByHash(known.hash)).toEqual(known)
        expect(index.keyCount).toBe(oracle.size)
      }),
    )
  })
})
