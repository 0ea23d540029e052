import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { createAccountStore, EmailTakenError } from '~/store/access/account-store.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { NOW_MS, otherHandle } from '../samples.ts'

const BY = { actor: COMMAND_LINE }

let database: FreshDatabase
let store: ReturnType<typeof createAccountStore>
let hashes = 0

beforeAll(async () => {
  database = await freshDatabase()
  store = createAccountStore(database)
})
afterAll(() => database.close())

const newHash = () => (++hashes).toString(16).padStart(64, '0')

const newAccount = (email = `${crypto.randomUUID()}@example.com`) =>
  store.create({ email, plan: 'pro', role: 'member', keyName: 'first', keyHash: newHash() })

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const NOT_UUIDS = ['', 'x', "' or 1=1 --", UNKNOWN.slice(1), `${UNKNOWN}0`, 'a\0b']

describe('create', () => {
  test('returns the same as load and loadAccount afterwards', async () => {
    const { account, key } = await newAccount()
    expect(account).toMatchObject({ plan: 'pro', role: 'member' })
    expect(key).toMatchObject({ accountId: account.id, name: 'first', revokedMs: null })
    expect(await store.loadAccount(account.id)).toEqual({ accounts: [account], keys: [key] })
    const all = await store.load()
    expect(all.accounts).toContainEqual(account)
    expect(all.keys).toContainEqual(key)
  })

  test('stores the email trimmed and in lower case', async () => {
    const { account } = await newAccount('  Ada@Example.COM ')
    expect(account.email).toBe('ada@example.com')
  })

  test('refuses a second account for an email, in any case, and leaves no key', async () => {
    await newAccount('grace@example.com')
    const before = (await store.load()).keys.length
    const again = newAccount('GRACE@example.com')
    await expect(again).rejects.toBeInstanceOf(EmailTakenError)
    await expect(again).rejects.toMatchObject({ email: 'grace@example.com' })
    expect((await store.load()).keys.length).toBe(before)
  })

  test('lets one of two concurrent calls win', async () => {
    const other = otherHandle(database)
    const email = 'race@example.com'
    const results = await Promise.allSettled(
      [store, createAccountStore(other), store].map((each) =>
        each.create({ email, plan: 'free', role: 'member', keyName: 'k', keyHash: newHash() }),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(EmailTakenError)
    await other.close()
  })
})

describe('update', () => {
  test('changes the given fields and keeps the others', async () => {
    const { account } = await newAccount()
    expect(await store.update(account.id, { role: 'treasury' })).toEqual({
      ...account,
      role: 'treasury',
    })
    expect(await store.update(account.id, { plan: 'enterprise' })).toEqual({
      ...account,
      role: 'treasury',
      plan: 'enterprise',
    })
    expect(await store.update(account.id, {})).toMatchObject({ plan: 'enterprise' })
  })

  test('finds the account by its id in any case', async () => {
    const { account } = await newAccount()
    expect(await store.update(account.id.toUpperCase(), {})).toEqual(account)
  })

  test('returns null for an unknown id and for a string that is not an id', async () => {
    for (const id of [UNKNOWN, ...NOT_UUIDS])
      expect(await store.update(id, { plan: 'free' })).toBeNull()
  })
})

describe('loadAccount', () => {
  test('returns nothing for an unknown id and for a string that is not an id', async () => {
    for (const id of [UNKNOWN, ...NOT_UUIDS])
      expect(await store.loadAccount(id)).toEqual({ accounts: [], keys: [] })
  })
})

describe('list', () => {
  test('counts all keys and the active ones', async () => {
    const { account, key } = await newAccount()
    await store.createKey({ accountId: account.id, name: 'second', hash: newHash(), ...BY })
    await store.revokeKey(key.id, NOW_MS, BY)
    const listed = (await store.list()).find(({ id }) => id === account.id)
    expect(listed).toMatchObject({ ...account, keyCount: 2, activeKeyCount: 1 })
    expect(Number.isInteger(listed?.createdMs)).toBe(true)
  })

  test('is in order of creation', async () => {
    const first = (await newAccount()).account.id
    const second = (await newAccount()).account.id
    const ids = (await store.list()).map(({ id }) => id)
    expect(ids.indexOf(first)).toBeLessThan(ids.indexOf(second))
  })
})

describe('createKey', () => {
  test('adds a key to the others of its account, in order', async () => {
    const { account, key } = await newAccount()
    const second = await store.createKey({
      accountId: account.id,
      name: 'ci',
      hash: newHash(),
      ...BY,
    })
    expect(second).toMatchObject({ accountId: account.id, name: 'ci', revokedMs: null })
    expect((await store.listKeys(account.id)).map(({ id }) => id)).toEqual([key.id, second!.id])
  })

  test('returns null for an account that does not exist', async () => {
    for (const accountId of [UNKNOWN, ...NOT_UUIDS])
      expect(await store.createKey({ accountId, name: 'x', hash: newHash(), ...BY })).toBeNull()
  })
})

describe('listKeys', () => {
  test('is empty for an account that does not exist', async () => {
    for (const id of [UNKNOWN, ...NOT_UUIDS]) expect(await store.listKeys(id)).toEqual([])
  })
})

describe('revokeKey', () => {
  test('keeps the time of the first revocation', async () => {
    const { account, key } = await newAccount()
    const revoked = { keyId: key.id, lastFour: null, revokedMs: NOW_MS }
    expect(await store.revokeKey(key.id, NOW_MS, BY)).toEqual(revoked)
    expect(await store.revokeKey(key.id, NOW_MS + 5, BY)).toEqual(revoked)
    const { keys } = await store.loadAccount(account.id)
    expect(keys).toEqual([{ ...key, revokedMs: NOW_MS }])
  })

  test('returns null for a key that does not exist', async () => {
    for (const id of [UNKNOWN, ...NOT_UUIDS]) {
      expect(await store.revokeKey(id, NOW_MS, BY)).toBeNull()
      const by = { actor: 'somebody', accountId: id }
      expect(await store.revokeKey(UNKNOWN, NOW_MS, by)).toBeNull()
    }
  })
})
