import { createHash } from 'node:crypto'
import { and, eq, lte, or } from 'drizzle-orm'
import { DAY_MS } from '~/domain/duration.ts'
import { insertAccount } from '~/store/access/account-store.ts'
import { insertKey } from '~/store/access/key-store.ts'
import type { Database, Tx } from '~/store/database.ts'
import { announce } from '~/store/notification-channel.ts'
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
      const rows = () => db.select().from(portalSecret)
      const [known] = await rows()
      if (known) return known.secret
      await db.insert(portalSecret).values({ secret: proposed }).onConflictDoNothing()
      const [row] = await rows()
      return row!.secret
    },
    async accountOf(userId: string) {
      const [user] = await db
        .select({ accountId: portalUsers.accountId })
        .from(portalUsers)
        .where(eq(portalUsers.id, userId))
      return user?.accountId ?? null
    },
    join: (userId: string, first: First) => join(database, userId, first),
    accountOfMailbox: (subscriber: Subscriber) => accountOfMailbox(database, subscriber),
    ...createAttemptStore(database),
    /** The language of emails to the person with an address; null if it is unknown. */
    async languageOf(email: string) {
      const [user] = await db
        .select({ language: portalUsers.language })
        .from(portalUsers)
        .where(eq(portalUsers.email, email))
      return user?.language ?? null
    },
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

type First = {
  readonly name: string
  readonly hash: string
  readonly lastFour?: string
  readonly language: string
}

function join(database: Database, userId: string, { language, ...key }: First) {
  return database.db.transaction(async (tx) => {
    const [user] = await tx
      .select()
      .from(portalUsers)
      .where(and(eq(portalUsers.id, userId), eq(portalUsers.emailVerified, true)))
      .for('update')
    if (!user) return null
    await tx.update(portalUsers).set({ language }).where(eq(portalUsers.id, userId))
    const { accountId, isNew } = await accountFor(database, tx, user)
    const firstKey = isNew ? await insertKey(tx, { ...key, accountId, actor: user.email }) : null
    return { accountId, firstKey }
  })
}

type User = Pick<typeof portalUsers.$inferSelect, 'id' | 'email' | 'accountId'>

/** The account of a person with a confirmed address: theirs, that of the address, or a new one. */
async function accountFor(database: Database, tx: Tx, { id, email, accountId }: User) {
  if (accountId) return { accountId, isNew: false }
  const made = await insertAccount(tx, { ...FREE_MEMBER, email, actor: email })
  const [account] = made
    ? [made]
    : await tx.select().from(accounts).where(eq(accounts.email, email))
  await tx.update(portalUsers).set({ accountId: account!.id }).where(eq(portalUsers.id, id))
  if (made) await announce(database, tx, { kind: 'access', accountId: made.id })
  return { accountId: account!.id, isNew: made !== null }
}

type Subscriber = { readonly email: string; readonly language: string; readonly nowMs: number }

/**
 * The account of the person who has just shown that an address is theirs. An unconfirmed sign-up is
 * deleted with its password, which a person who only named the address may have set.
 */
function accountOfMailbox(database: Database, { email, language, nowMs }: Subscriber) {
  return database.db.transaction(async (tx) => {
    const now = new Date(nowMs)
    const isUnconfirmed = and(eq(portalUsers.email, email), eq(portalUsers.emailVerified, false))
    await tx.delete(portalUsers).where(isUnconfirmed)
    const [user] = await tx
      .insert(portalUsers)
      .values({
        ...{ id: crypto.randomUUID(), name: email, email, emailVerified: true, language },
        ...{ createdAt: now, updatedAt: now },
      })
      .onConflictDoUpdate({ target: portalUsers.email, set: { language } })
      .returning()
    if (!user!.emailVerified) throw new Error('a sign-up of the address has just begun')
    return (await accountFor(database, tx, user!)).accountId
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
