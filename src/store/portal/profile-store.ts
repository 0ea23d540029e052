import { createHash } from 'node:crypto'
import { and, count, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { AddressChange, NewLink, Profile } from '~/domain/person/profile.ts'
import { lockAccount } from '~/store/access/key-store.ts'
import { alerts } from '~/store/alert/schema.ts'
import type { Database, Tx } from '~/store/database.ts'
import { announce } from '~/store/notification-channel.ts'
import { idempotency } from '~/store/recording/schema.ts'
import { forgetUploads } from '~/store/recording/upload-store.ts'
import { accounts, keys } from '~/store/schema.ts'
import { recordChange } from './audit-store.ts'
import { portalUsers, portalVerifications } from './schema.ts'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505'

/** Addresses of people who are signed in, and the end of their accounts. */
export function createProfileStore(database: Database) {
  const { db } = database
  return {
    /** Reports whether a person or an account has the address. */
    async isTaken(email: string) {
      const [people, owners] = await Promise.all([
        db.select({ n: count() }).from(portalUsers).where(eq(portalUsers.email, email)),
        db.select({ n: count() }).from(accounts).where(eq(accounts.email, email)),
      ])
      return people[0]!.n + owners[0]!.n > 0
    },
    /** Keeps the token of a mailed link until then; a new password ends it. */
    async keepLink({ userId, token, nowMs, endsMs }: NewLink) {
      const now = new Date(nowMs)
      await db.insert(portalVerifications).values({
        ...{ id: crypto.randomUUID(), identifier: identifierOf(token), value: userId },
        ...{ expiresAt: new Date(endsMs), createdAt: now, updatedAt: now },
      })
    },
    changeAddress: (profile: Profile, change: AddressChange) =>
      changeAddress(database, profile, change).catch((error) => {
        if (error?.cause?.code === UNIQUE_VIOLATION) return false
        throw error
      }),
    deleteAccount: (profile: Profile, nowMs: number) => deleteAccount(database, profile, nowMs),
  }
}

/** Stored form of a link, from which the link cannot be derived. */
const identifierOf = (token: string): string =>
  createHash('sha256').update(`address:${token}`).digest('base64url')

/** False for a link that is over, or of another person. Throws if the address is taken. */
function changeAddress(database: Database, profile: Profile, change: AddressChange) {
  const { userId, accountId, email: old } = profile
  const { email, token, nowMs } = change
  return database.db.transaction(async (tx) => {
    const now = new Date(nowMs)
    const links = await tx
      .delete(portalVerifications)
      .where(
        and(
          eq(portalVerifications.identifier, identifierOf(token)),
          eq(portalVerifications.value, userId),
          gt(portalVerifications.expiresAt, now),
        ),
      )
      .returning({ id: portalVerifications.id })
    if (links.length === 0) return false
    await tx
      .update(portalUsers)
      .set({ email, name: email, updatedAt: now })
      .where(eq(portalUsers.id, userId))
    await tx.update(accounts).set({ email }).where(eq(accounts.id, accountId))
    await recordChange(tx, {
      ...{ actor: old, action: 'account changed', accountId, subject: email },
      ...{ before: { email: old }, after: { email } },
    })
    await announce(database, tx, { kind: 'access', accountId })
    return true
  })
}

/** Ends everything of the account at once; only its opaque id and rows that refer to it stay. */
function deleteAccount(database: Database, { userId, accountId }: Profile, nowMs: number) {
  return database.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const isInUse = or(isNull(keys.revokedMs), gt(keys.revokedMs, nowMs))
    await tx
      .update(keys)
      .set({ revokedMs: nowMs })
      .where(and(eq(keys.accountId, accountId), isInUse))
    await tx.delete(alerts).where(eq(alerts.accountId, accountId))
    await tx.delete(idempotency).where(eq(idempotency.accountId, accountId))
    await forgetUploads(tx, accountId)
    await forget(tx, accountId)
    await tx.delete(portalVerifications).where(eq(portalVerifications.value, userId))
    await tx.delete(portalUsers).where(eq(portalUsers.id, userId))
    await announce(database, tx, { kind: 'access', accountId })
    await announce(database, tx, { kind: 'alerts', accountId })
  })
}

async function forget(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select forget_account(${accountId}::uuid)`)
  const opaque = `deleted-${accountId}`
  await recordChange(tx, {
    ...{ actor: opaque, action: 'account deleted', accountId, subject: opaque },
    ...{ before: null, after: null },
  })
}
