import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { NOW_MS, otherHandle } from '../samples.ts'

let database: FreshDatabase
let store: ReturnType<typeof createPortalStore>
let hashes = 0

beforeAll(async () => {
  database = await freshDatabase()
  store = createPortalStore(database)
})
afterAll(() => database.close())

const newKey = () => ({
  ...{ name: 'default', hash: (++hashes).toString(16).padStart(64, 'e') },
  language: 'fr',
})

async function newUser({ isConfirmed = true, email = `${crypto.randomUUID()}@example.com` } = {}) {
  const id = crypto.randomUUID()
  await database.sql`
    insert into portal_users (id, name, email, email_verified, created_at, updated_at)
    values (${id}, ${email}, ${email}, ${isConfirmed}, now(), now())`
  return { id, email }
}

describe('secret', () => {
  test('is one for all replicas, whichever requests it first, even concurrently', async () => {
    const other = otherHandle(database)
    const stores = [store, createPortalStore(other), store]
    const secrets = await Promise.all(stores.map((each, i) => each.secret(`proposal ${i}`)))
    expect(new Set(secrets).size).toBe(1)
    expect(await store.secret('later')).toBe(secrets[0]!)
    await other.close()
  })

  test('is read by a user that may only read', async () => {
    const kept = await store.secret('proposal')
    const reader = otherHandle({ url: `${database.url}?default_transaction_read_only=on` })
    expect(await createPortalStore(reader).secret('another')).toBe(kept)
    await expect(reader.sql`delete from portal_secret`.then()).rejects.toThrow('read-only')
    await reader.close()
  })
})

describe('join', () => {
  test('creates a free member with a first key, once', async () => {
    const { id, email } = await newUser()
    const first = await store.join(id, newKey())
    const { accounts, keys } = await createAccountStore(database).loadAccount(first!.accountId)
    expect(accounts).toMatchObject([{ email, plan: 'free', role: 'member' }])
    expect(keys).toEqual([first!.firstKey!])
    expect(await store.join(id, newKey())).toEqual({ ...first!, firstKey: null })
    expect(await store.accountOf(id)).toBe(first!.accountId)
  })

  test('creates one account when called five times at once', async () => {
    const { id } = await newUser()
    const joined = await Promise.all(Array.from({ length: 5 }, () => store.join(id, newKey())))
    expect(new Set(joined.map((each) => each!.accountId)).size).toBe(1)
    expect(joined.filter((each) => each!.firstKey)).toHaveLength(1)
  })

  test('joins the existing account of the email, and adds no key', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const keys = { keyName: 'k', keyHash: newKey().hash }
    const made = { email: email.toUpperCase(), plan: 'pro', role: 'treasury', ...keys } as const
    const { account } = await createAccountStore(database).create(made)
    const { id } = await newUser({ email })
    expect(await store.join(id, newKey())).toEqual({ accountId: account.id, firstKey: null })
  })

  test('returns null for an email that is not confirmed, and for an unknown one', async () => {
    const { id } = await newUser({ isConfirmed: false })
    expect(await store.join(id, newKey())).toBeNull()
    expect(await store.join('nobody', newKey())).toBeNull()
    expect(await store.accountOf(id)).toBeNull()
  })

  test('is refused by the database for a person who has not confirmed', async () => {
    const { id } = await newUser()
    await store.join(id, newKey())
    const unconfirm = database.sql`
      update portal_users set email_verified = false where id = ${id}`
    await expect(unconfirm.execute()).rejects.toThrow('portal_users_confirmed')
  })
})

describe('countAttempt', () => {
  test('counts for all replicas, and starts over in each window', async () => {
    const other = otherHandle(database)
    const stores = [store, createPortalStore(other)]
    const counts = await Promise.all(
      Array.from({ length: 10 }, (_, i) => stores[i % 2]!.countAttempt('scope', NOW_MS)),
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await store.countAttempt('scope', NOW_MS + 1)).toBe(1)
    expect(await store.countAttempt('other', NOW_MS)).toBe(1)
    await store.forgetAttempts('scope')
    expect(await store.countAttempt('scope', NOW_MS)).toBe(1)
    await other.close()
  })
})

describe('prune', () => {
  test('deletes people only if they did not confirm for a week', async () => {
    const late = await newUser({ isConfirmed: false })
    const member = await newUser()
    const createdMs = Date.now()
    await store.prune(createdMs + 6 * 86_400_000, DAY_MS)
    const left = async () => (await database.sql`select id from portal_users`).map(({ id }) => id)
    expect(await left()).toContain(late.id)
    await store.prune(createdMs + 8 * 86_400_000, DAY_MS)
    expect(await left()).not.toContain(late.id)
    expect(await left()).toContain(member.id)
  })

  test('deletes expired entries and keeps the others', async () => {
    await store.countAttempt('over', NOW_MS)
    await store.countAttempt('open', NOW_MS + 1)
    const { id } = await newUser()
    for (const [name, ms] of [
      ['over', NOW_MS],
      ['open', NOW_MS + 1],
    ] as const) {
      const at = new Date(ms).toISOString()
      await database.sql`
        insert into portal_sessions (id, token, user_id, expires_at, created_at, updated_at)
        values (${name}, ${name}, ${id}, ${at}, now(), now())`
      await database.sql`
        insert into portal_verifications (id, identifier, value, expires_at, created_at, updated_at)
        values (${name}, ${name}, 'x', ${at}, now(), now())`
    }
    await store.prune(NOW_MS, DAY_MS)
    const left = await database.sql`
      select id from portal_sessions union all select id from portal_verifications`
    expect(left.map((row) => row.id)).toEqual(['open', 'open'])
    expect(await store.countAttempt('over', NOW_MS)).toBe(1)
    expect(await store.countAttempt('open', NOW_MS + 1)).toBe(2)
  })
})
