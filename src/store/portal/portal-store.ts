import { createHash } from 'node:crypto'
import { and, eq, lte, or } from 'drizzle-orm'
import { DAY_MS } from '~/domain/duration.ts'
import { insertAccount } from '~/store/access/account-store.ts'
import { announceAccess } from '~/store/access/key-store.ts'
import type { Database } from '~/store/database.ts'
import { accounts } from '~/store/schema.ts'
import { createAttemptStore } from './attempt-store.ts'
import {
  portalAttempts,
  portalCredentials,
  portalSecret,
  portalSessions,
  portalUsers,
  portalVerifications,
} from './schema.ts'

const UNCONFIRMED_MS_MAX = 7 * DAY_MS

const FREE_MEMBER = { plan: 'free', role: 'member' } as const

/** The data of the pages for people, besides that of better-auth. */
export function createPortalStore(database: Database) {
  const { db } = database
  return {
    /** The secret shared by all replicas: `proposed`, unless there is one already. */
    async secret(proposed: string) {
      await db.insert(portalSecret).values({ secret: proposed }).onConflictDoNothing()
      const [row] = await db.select().from(portalSecret)
      return row!.secret
    },
    async accountOf(userId: string) {
      const [user] = await db
        .select({ accountId: portalUsers.accountId })
        .from(portalUsers)
        .where(eq(portalUsers.id, userId))
      return user?.accountId ?? null
    },
    join: (userId: string, key: FirstKey) => join(database, userId, key),
    ...createAttemptStore(database),
    async passwordStamp(email: string) {
      const [row] = await db
        .select({ password: portalCredentials.password })
        .from(portalCredentials)
        .innerJoin(portalUsers, eq(portalUsers.id, portalCredentials.userId))
        .where(eq(portalUsers.email, email))
      return row?.password ? createHash('sha256').update(row.password).digest('base64url') : null
    },
    /**
     * Deletes sessions that expired or were not used for `idleMs`, expired links and counts, and
     * people who never confirmed their address.
     */
    prune: (nowMs: number, idleMs: number) => prune(database, nowMs, idleMs),
  }
}

type FirstKey = { readonly name: string; readonly hash: string; readonly lastFour?: string }

function join(database: Database, userId: string, key: FirstKey) {
  return database.db.transaction(async (tx) => {
    const [user] = await tx
      .select()
      .from(portalUsers)
      .where(and(eq(portalUsers.id, userId), eq(portalUsers.emailVerified, true)))
      .for('update')
    if (!user) return null
    if (user.accountId) return { accountId: user.accountId, firstKey: null }
    const { email } = user
    const first = { keyName: key.name, keyHash: key.hash, lastFour: key.lastFour, actor: email }
    const made = await insertAccount(tx, { ...FREE_MEMBER, email, ...first })
    const [account] = made
      ? [made.account]
      : await tx.select().from(accounts).where(eq(accounts.email, email))
    await tx.update(portalUsers).set({ accountId: account!.id }).where(eq(portalUsers.id, userId))
    if (made) await announceAccess(database, tx, account!.id)
    return { accountId: account!.id, firstKey: made?.key ?? null }
  })
}

async function prune({ db }: Database, nowMs: number, idleMs: number): Promise<void> {
  const now = new Date(nowMs)
  const isIdle = lte(portalSessions.updatedAt, new Date(nowMs - idleMs))
  await db.delete(portalSessions).where(or(lte(portalSessions.expiresAt, now), isIdle))
  await db.delete(portalVerifications).where(lte(portalVerifications.expiresAt, now))
  await db.delete(portalAttempts).where(lte(portalAttempts.endsAt, now))
  const waitedFor = lte(portalUsers.createdAt, new Date(nowMs - UNCONFIRMED_MS_MAX))
  await db.delete(portalUsers).where(and(eq(portalUsers.emailVerified, false), waitedFor))
}
