import { asc, count, eq, ilike, sql } from 'drizzle-orm'
import type {
  Access,
  Account,
  AccountPage,
  Granted,
  KeyReplacement,
  KeyRules,
  ListedAccount,
  NewKey,
  Revoker,
} from '~/domain/account.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import type { Database, Db, Tx } from '~/store/database.ts'
import { containing, isUuid } from '~/store/encoding.ts'
import { announce } from '~/store/notification-channel.ts'
import { recordChange } from '~/store/portal/audit-store.ts'
import { accounts, keys } from '~/store/schema.ts'
import {
  createKey,
  grantKey,
  insertKey,
  keyOf,
  listKeys,
  replaceKey,
  revokeKey,
} from './key-store.ts'

/** An account already exists under this address, ignoring case. */
export class EmailTakenError extends Error {
  constructor(readonly email: string) {
    super(`there is already an account for ${email}`)
    this.name = 'EmailTakenError'
  }
}

type NewAccount = Omit<Account, 'id'> & {
  readonly keyName: string
  readonly keyHash: string
  readonly lastFour?: string | undefined
  /** The person who creates the account; a person with the command line by default. */
  readonly actor?: string
}

type AccountBy = NewAccount & { readonly actor: string }

type AccountChange = {
  readonly plan?: Plan | undefined
  readonly role?: Role | undefined
  /** The only providers that it may record prices of; none for no limit. */
  readonly providers?: readonly string[] | undefined
}

/** Accounts and keys. A string that is not a uuid is treated as an unknown id. */
export function createAccountStore(database: Database) {
  const { db } = database
  return {
    load: () => load(db, null),
    loadAccount: async (id: string) => (isUuid(id) ? load(db, id) : { accounts: [], keys: [] }),
    async accountOfKey(hash: string) {
      const [key] = await db.select({ id: keys.accountId }).from(keys).where(eq(keys.hash, hash))
      return key?.id ?? null
    },
    /** Creates an account, its address in lower case, and its first key. Throws EmailTakenError. */
    create: (account: NewAccount) => create(database, { actor: COMMAND_LINE, ...account }),
    update: async (id: string, change: AccountChange, actor = COMMAND_LINE) =>
      isUuid(id) ? update(database, id, { ...change, actor }) : null,
    /** Every account in order of creation. */
    list: () => list(db),
    page: (page: AccountPage) => pageOf(db, page),
    createKey: async (key: NewKey) => (isUuid(key.accountId) ? createKey(database, key) : null),
    listKeys: async (accountId: string) => (isUuid(accountId) ? listKeys(db, accountId) : []),
    grantKey: async (key: NewKey, rules: KeyRules): Promise<Granted> =>
      isUuid(key.accountId) ? grantKey(database, key, rules) : { refusal: 'unknown' },
    replaceKey: async (replacement: KeyReplacement, rules: KeyRules): Promise<Granted> =>
      isUuid(replacement.keyId) && isUuid(replacement.accountId)
        ? replaceKey(database, replacement, rules)
        : { refusal: 'unknown' },
    revokeKey: async (id: string, nowMs: number, by: Revoker) =>
      isUuid(id) && isUuid(by.accountId ?? id) ? revokeKey(database, id, { ...by, nowMs }) : null,
  }
}

const ACCOUNT = {
  id: accounts.id,
  email: accounts.email,
  plan: accounts.plan,
  role: accounts.role,
}

/** With the limit to providers, which most accounts do not have. */
const LIMITED = { ...ACCOUNT, providers: accounts.providers }

type LimitedRow = Account & { readonly providers: string[] | null }

const limitedOf = ({ providers, ...account }: LimitedRow): Account =>
  providers ? { ...account, providers } : account

async function load(db: Db, id: string | null): Promise<Access> {
  const [allAccounts, allKeys] = await db.transaction(
    (tx) =>
      Promise.all([
        tx
          .select(LIMITED)
          .from(accounts)
          .where(id === null ? undefined : eq(accounts.id, id)),
        tx
          .select()
          .from(keys)
          .where(id === null ? undefined : eq(keys.accountId, id))
          .orderBy(asc(keys.createdMs), asc(keys.id)),
      ]),
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
  return { accounts: allAccounts.map(limitedOf), keys: allKeys.map(keyOf) }
}

async function create(database: Database, newAccount: AccountBy) {
  return database.db.transaction(async (tx) => {
    const account = await insertAccount(tx, newAccount)
    if (!account) throw new EmailTakenError(normalEmail(newAccount.email))
    const { keyName: name, keyHash: hash, lastFour, actor } = newAccount
    const key = await insertKey(tx, { accountId: account.id, name, hash, lastFour, actor })
    await announce(database, tx, { kind: 'access', accountId: account.id })
    return { account, key }
  })
}

const normalEmail = (email: string): string => email.trim().toLowerCase()

/** Adds an account without a key; null when the address has one. The caller announces it. */
export async function insertAccount(
  tx: Tx,
  { email, plan, role, actor }: Omit<Account, 'id'> & { readonly actor: string },
): Promise<Account | null> {
  const [account] = await tx
    .insert(accounts)
    .values({ email: normalEmail(email), plan, role })
    .onConflictDoNothing({ target: accounts.email })
    .returning(ACCOUNT)
  if (!account) return null
  await recordChange(tx, {
    ...{ actor, action: 'account created', accountId: account.id, subject: account.email },
    before: null,
    after: { plan, role },
  })
  return account
}

type Update = AccountChange & { readonly actor: string }

async function update(database: Database, id: string, { plan, role, providers, actor }: Update) {
  return database.db.transaction(async (tx) => {
    const [row] = await tx
      .select(LIMITED)
      .from(accounts)
      .where(eq(accounts.id, id))
      .for('no key update')
    if (!row) return null
    const limit = providers === undefined ? row.providers : limitOf(providers)
    const old = limitedOf(row)
    const changed = { ...row, plan: plan ?? old.plan, role: role ?? old.role, providers: limit }
    const account = limitedOf(changed)
    if (JSON.stringify(account) === JSON.stringify(old)) return account
    await tx
      .update(accounts)
      .set({ plan: account.plan, role: account.role, providers: limit })
      .where(eq(accounts.id, id))
    await recordChange(tx, {
      ...{ actor, action: 'account changed', accountId: old.id, subject: old.email },
      before: standingOf(old),
      after: standingOf(account),
    })
    await announce(database, tx, { kind: 'access', accountId: account.id })
    return account
  })
}

const limitOf = (providers: readonly string[]): string[] | null =>
  providers.length > 0 ? [...new Set(providers)].sort() : null

const standingOf = ({ plan, role, providers }: Account) => ({
  plan,
  role,
  ...(providers && { providers: providers.join(', ') }),
})

const listing = (db: Db) =>
  db
    .select({
      ...ACCOUNT,
      createdMs: accounts.createdMs,
      keyCount: count(keys.id),
      activeKeyCount: sql<number>`(count(${keys.id})
        filter (where ${keys.revokedMs} is null or ${keys.revokedMs} > now()))::int`,
    })
    .from(accounts)
    .leftJoin(keys, eq(keys.accountId, accounts.id))
    .groupBy(accounts.id)
    .orderBy(asc(accounts.createdMs), asc(accounts.id))
    .$dynamic()

const list = async (db: Db): Promise<ListedAccount[]> => listing(db)

async function pageOf(db: Db, { search, limit, offset }: AccountPage) {
  const isFound = ilike(accounts.email, containing(search.trim()))
  const [rows, [all]] = await Promise.all([
    listing(db).where(isFound).limit(limit).offset(offset),
    db.select({ total: count() }).from(accounts).where(isFound),
  ])
  return { accounts: rows, total: all!.total }
}
