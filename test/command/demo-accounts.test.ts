import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { demoAccounts } from '~/command/demo-accounts.ts'
import { keyHashOf } from '~/domain/api-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

describe('demoAccounts', () => {
  test('are one per plan, and the same at the next start', async () => {
    const first = await demoAccounts(database, [], NOW_MS)
    expect(first.map(({ plan, role }) => [plan, role])).toEqual([
      ['free', 'member'],
      ['pro', 'member'],
      ['enterprise', 'treasury'],
    ])
    expect(await demoAccounts(database, first, NOW_MS)).toEqual(first)
  })

  test('get a new key if theirs was revoked or is no longer known', async () => {
    const store = createAccountStore(database)
    const first = await demoAccounts(database, [], NOW_MS)
    const [free] = await store.list()
    const hash = keyHashOf(first[0]!.key)
    const { id } = (await store.listKeys(free!.id)).find((key) => key.hash === hash)!
    await store.revokeKey(id, NOW_MS, { actor: 'a test' })
    const second = await demoAccounts(database, first, NOW_MS)
    expect(second[0]!.key).not.toBe(first[0]!.key)
    expect(second.slice(1)).toEqual(first.slice(1))
    expect(await demoAccounts(database, second, NOW_MS)).toEqual(second)
  })

  test('are shown with their present plan and role', async () => {
    const store = createAccountStore(database)
    const known = await demoAccounts(database, [], NOW_MS)
    const account = (await store.list()).find(({ email }) => email === known[2]!.email)!
    await store.update(account.id, { plan: 'free', role: 'admin' }, 'a test')
    const [, , last] = await demoAccounts(database, known, NOW_MS)
    expect(last).toEqual({ ...known[2]!, plan: 'free', role: 'admin' })
  })
})
