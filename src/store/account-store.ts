import { asc, count, eq, sql } from 'drizzle-orm'
import type { Account, Key } from '~/domain/account.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import type { Database, Db } from './database.ts'
import { NEWS_CHANNEL, newsPayload } from './news-channel.ts'
import { accounts, keys } from './schema.ts'

/** Someone already has an account under this address, whatever the case of its letters. */
export class EmailTakenError extends Error {
  constructor(readonly email: string) {
    super(`there is already an account for ${email}`)
    this.name = 'EmailTakenError'
  }
}

export type NewAccount = {
  readonly email: string
  readonly plan: Plan
  readonly role: Role
  readonly keyName: string
  readonly keyHash: string
}

export type NewKey = { readonly accountId: string; readonly name: string; readonly hash: string }

export type AccountChange = { readonly plan?: Plan | undefined; readonly role?: Role | undefined }

export type ListedAccount = Account & {
  readonly createdMs: number
  readonly keyCount: number
  readonly activeKeyCount: number
}

export type ListedKey = Key & { readonly createdMs: number }

export type Access = { readonly accounts: Account[]; readonly keys: Key[] }

/** Text that is no uuid names no account and no key: it is not found, as an unknown id is not. */
export type AccountStore = {
  /** Every account and key, the revoked ones too; an account's keys in order of creation. */
  load(): Promise<Access>
  /** One account and its keys; nothing when there is no such account. */
  loadAccount(id: string): Promise<Access>
  /** An account and its first key. Throws EmailTakenError; the address is stored in lower case. */
  create(account: NewAccount): Promise<{ account: Account; key: Key }>
  /** The account as it is now, or null when there is none. */
  update(id: string, change: AccountChange): Promise<Account | null>
  /** Every account in order of creation. */
  list(): Promise<ListedAccount[]>
  /** Null when there is no such account. */
  createKey(key: NewKey): Promise<Key | null>
  /** The account's keys in order of creation, the revoked ones too. */
  listKeys(accountId: string): Promise<ListedKey[]>
  /** Null when there is no such key. A key that was revoked, or ends, before then keeps its time. */
  revokeKey(id: string, nowMs: number): Promise<{ keyId: string; revokedMs: number } | null>
}

export function createAccountStore(database: Database): AccountStore {
  const { db } = database
  return {
    load: () => load(db, null),
    loadAccount: async (id) => (isUuid(id) ? load(db, id) : { accounts: [], keys: [] }),
    create: (account) => create(database, account),
    update: async (id, change) => (isUuid(id) ? update(database, id, change) : null),
    list: () => list(db),
    createKey: async (key) => (isUuid(key.accountId) ? createKey(database, key) : null),
    listKeys: async (accountId) => (isUuid(accountId) ? listKeys(db, accountId) : []),
    revokeKey: async (id, nowMs) => (isUuid(id) ? revokeKey(database, id, nowMs) : null),
  }
}

type Tx = Parameters<Parameters<Db['transaction']>[0]>[0]

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isUuid = (text: string): boolean => UUID.test(text)

const ACCOUNT = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  role: accounts.role,
}

type KeyRow = typeof keys.$inferSelect

const keyOf = ({ id, accountId, name, hash, revokedAt }: KeyRow): Key => ({
  id,
  accountId,
  name,
  hash,
  revokedMs: revokedAt?.getTime() ?? null,
})

async function load(db: Db, id: string | null): Promise<Access> {
  const [allAccounts, allKeys] = await db.transaction(
    (tx) =>
      Promise.all([
        tx
          .select(ACCOUNT)
          .from(accounts)
          .where(id === null ? undefined : eq(accounts.id, id)),
        tx
          .select()
          .from(keys)
          .where(id === null ? undefined : eq(keys.accountId, id))
          .orderBy(asc(keys.createdAt), asc(keys.id)),
      ]),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return { accounts: allAccounts, keys: allKeys.map(keyOf) }
}

async function create(database: Database, { keyName, keyHash, ...rest }: NewAccount) {
  const email = rest.email.trim().toLowerCase()
  return database.db.transaction(async (tx) => {
    const [account] = await tx
      .insert(accounts)
      .values({ ...rest, email })
      .onConflictDoNothing({ target: accounts.email })
      .returning(ACCOUNT)
    if (!account) throw new EmailTakenError(email)
    const key = await addKey(tx, { accountId: account.id, name: keyName, hash: keyHash })
    await announce(database, tx, account.id)
    return { account, key }
  })
}

async function update(database: Database, id: string, { plan, role }: AccountChange) {
  return database.db.transaction(async (tx) => {
    const [account] = await tx
      .update(accounts)
      .set({ plan: plan ?? sql`${accounts.plan}`, role: role ?? sql`${accounts.role}` })
      .where(eq(accounts.id, id))
      .returning(ACCOUNT)
    if (!account) return null
    await announce(database, tx, account.id)
    return account
  })
}

async function list(db: Db): Promise<ListedAccount[]> {
  const rows = await db
    .select({
      ...ACCOUNT,
      createdAt: accounts.createdAt,
      keyCount: count(keys.id),
      activeKeyCount: sql<number>`(count(${keys.id})
        filter (where ${keys.revokedAt} is null or ${keys.revokedAt} > now()))::int`,
    })
    .from(accounts)
    .leftJoin(keys, eq(keys.accountId, accounts.id))
    .groupBy(accounts.id)
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
  return rows.map(({ createdAt, ...row }) => ({ ...row, createdMs: createdAt.getTime() }))
}

async function createKey(database: Database, newKey: NewKey): Promise<Key | null> {
  return database.db.transaction(async (tx) => {
    const owner = await tx
      .select(ACCOUNT)
      .from(accounts)
      .where(eq(accounts.id, newKey.accountId))
      .for('key share')
    if (owner.length === 0) return null
    const key = await addKey(tx, newKey)
    await announce(database, tx, key.accountId)
    return key
  })
}

async function addKey(tx: Tx, newKey: NewKey): Promise<Key> {
  const [row] = await tx.insert(keys).values(newKey).returning()
  return keyOf(row!)
}

async function listKeys(db: Db, accountId: string): Promise<ListedKey[]> {
  const rows = await db
    .select()
    .from(keys)
    .where(eq(keys.accountId, accountId))
    .orderBy(asc(keys.createdAt), asc(keys.id))
  return rows.map((row) => ({ ...keyOf(row), createdMs: row.createdAt.getTime() }))
}

async function revokeKey(database: Database, id: string, nowMs: number) {
  return database.db.transaction(async (tx) => {
    const now = new Date(nowMs).toISOString()
    const [row] = await tx
      .update(keys)
      .set({ revokedAt: sql`least(${keys.revokedAt}, ${now}::timestamptz)` })
      .where(eq(keys.id, id))
      .returning()
    if (!row) return null
    await announce(database, tx, row.accountId)
    return { keyId: row.id, revokedMs: row.revokedAt!.getTime() }
  })
}

async function announce(database: Database, tx: Tx, accountId: string): Promise<void> {
  const news = newsPayload(database, { kind: 'access', accountId })
  await tx.execute(sql`select pg_notify(${NEWS_CHANNEL}, ${news})`)
}
