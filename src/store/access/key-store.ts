import { and, asc, eq } from 'drizzle-orm'
import {
  type Granted,
  isReadOnly,
  isRevoked,
  type Key,
  type KeyRefusal,
  type KeyReplacement,
  type KeyRules,
  type ListedKey,
  type NewKey,
  type RevokedKey,
  type Revoker,
} from '~/domain/account.ts'
import { isConnection, keyMark } from '~/domain/api-key.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type { Database, Db, Tx } from '~/store/database.ts'
import { instantText } from '~/store/encoding.ts'
import { announce } from '~/store/notification-channel.ts'
import { recordChange } from '~/store/portal/audit-store.ts'
import { accounts, keys } from '~/store/schema.ts'

type KeyRow = typeof keys.$inferSelect

export const keyOf = ({ createdMs: _, dailyBudget, origins, ...key }: KeyRow): Key => ({
  ...key,
  ...(dailyBudget !== null && { dailyBudget }),
  ...(origins !== null && { origins }),
})

/** Creates a key; null when there is no such account. */
export async function createKey(database: Database, newKey: NewKey): Promise<Key | null> {
  return database.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, newKey.accountId))) return null
    const key = await insertKey(tx, newKey)
    await announce(database, tx, { kind: 'access', accountId: key.accountId })
    return key
  })
}

/** Creates a key within the rules: a limit at once and in a day, and no two under one name. */
export async function grantKey(
  database: Database,
  newKey: NewKey,
  rules: KeyRules,
): Promise<Granted> {
  return database.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, newKey.accountId))) return { refusal: 'unknown' }
    const own = await textKeysOf(tx, newKey.accountId)
    if (own.some(({ name, revokedMs }) => name === newKey.name && revokedMs === null))
      return { refusal: 'name_taken' }
    const refusal = refusalOf(own, rules)
    if (refusal) return { refusal }
    const key = await insertKey(tx, newKey)
    await announce(database, tx, { kind: 'access', accountId: key.accountId })
    return { key }
  })
}

/** Creates a key under the name of an old one, which ends later; one that has an end keeps it. */
export async function replaceKey(
  database: Database,
  { keyId, accountId, hash, lastFour, endsMs, actor }: KeyReplacement,
  rules: KeyRules,
): Promise<Granted> {
  return database.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) return { refusal: 'unknown' }
    const own = await textKeysOf(tx, accountId)
    const old = own.find(({ id }) => id === keyId)
    if (!old || isReadOnly(old) || isRevoked(old, rules.nowMs)) return { refusal: 'unknown' }
    if (old.revokedMs !== null) return { refusal: 'ending' }
    const refusal = refusalOf(own, rules)
    if (refusal) return { refusal }
    await tx.update(keys).set({ revokedMs: endsMs }).where(eq(keys.id, keyId))
    const made = { accountId, name: old.name, hash, lastFour }
    const [row] = await tx.insert(keys).values(made).returning()
    const key = keyOf(row!)
    await recordChange(tx, {
      ...{ actor, action: 'key replaced', accountId, subject: old.name },
      before: { ...namesOf(old), ends: null },
      after: { ...namesOf(key), old_key_ends: instantText(endsMs) },
    })
    await announce(database, tx, { kind: 'access', accountId })
    return { key }
  })
}

/** Revokes a key; null if it does not exist, or is not of `accountId` if that is given. */
export async function revokeKey(
  database: Database,
  id: string,
  { nowMs, actor, accountId }: Revoker & { nowMs: number },
): Promise<RevokedKey | null> {
  return database.db.transaction(async (tx) => {
    const isOwn = accountId === undefined ? undefined : eq(keys.accountId, accountId)
    const [old] = await tx
      .select()
      .from(keys)
      .where(and(eq(keys.id, id), isOwn))
      .for('update')
    if (!old) return null
    const revokedMs = Math.min(old.revokedMs ?? nowMs, nowMs)
    const { id: keyId, lastFour, dailyBudget } = keyOf(old)
    const revoked = { keyId, lastFour, dailyBudget, revokedMs }
    if (revokedMs === old.revokedMs) return revoked
    await tx.update(keys).set({ revokedMs }).where(eq(keys.id, id))
    await recordChange(tx, {
      ...{ actor, action: 'key revoked', accountId: old.accountId, subject: old.name },
      before: { ...namesOf(old), ends: old.revokedMs === null ? null : instantText(old.revokedMs) },
      after: { ...namesOf(old), ends: instantText(revokedMs) },
    })
    await announce(database, tx, { kind: 'access', accountId: old.accountId })
    return revoked
  })
}

/** Name of a key in the log. */
const namesOf = (key: Pick<Key, 'id' | 'lastFour' | 'hash' | 'dailyBudget'>) => ({
  key_id: key.id,
  key: keyMark(key),
})

export async function insertKey(tx: Tx, { actor, ...newKey }: NewKey): Promise<Key> {
  const { accountId, name } = newKey
  const { origins = null } = newKey
  const values = { ...newKey, origins: origins && [...origins] }
  const [row] = await tx.insert(keys).values(values).returning()
  const key = keyOf(row!)
  await recordChange(tx, {
    ...{ actor, action: 'key created', accountId, subject: name },
    before: null,
    after: { ...namesOf(key), ...(origins && { origins: origins.join(', ') }) },
  })
  return key
}

/** Lets one change at a time alter an account's keys; usage is counted meanwhile. */
export async function lockAccount(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('no key update')
  return rows.length > 0
}

/** The account's keys, oldest first. */
export async function listKeys(db: Db | Tx, accountId: string): Promise<ListedKey[]> {
  const rows = await db
    .select()
    .from(keys)
    .where(eq(keys.accountId, accountId))
    .orderBy(asc(keys.createdMs), asc(keys.id))
  return rows.map((row) => ({ ...keyOf(row), createdMs: row.createdMs }))
}

/** The account's API keys without those of connected applications, which have their own limits. */
const textKeysOf = async (tx: Tx, accountId: string): Promise<ListedKey[]> =>
  (await listKeys(tx, accountId)).filter((key) => !isConnection(key))

function refusalOf(
  own: readonly ListedKey[],
  { activeMax, dailyMax, nowMs }: KeyRules,
): KeyRefusal | null {
  if (own.filter((key) => !isRevoked(key, nowMs)).length >= activeMax) return 'too_many'
  const isOfToday = ({ createdMs }: ListedKey) => createdMs > nowMs - DAY_MS
  return own.filter(isOfToday).length >= dailyMax ? 'too_often' : null
}
