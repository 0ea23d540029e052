import { and, asc, eq, sql } from 'drizzle-orm'
import type { Factors, Profile } from '~/domain/person/profile.ts'
import type { Database, Tx } from '~/store/database.ts'
import { recordChange } from './audit-store.ts'
import { portalPasskeys, portalTwoFactors } from './factor-schema.ts'
import { portalSessions, portalUsers } from './schema.ts'

/** The second factors of people, except those that better-auth manages. */
export function createFactorStore({ db }: Database) {
  const appOf = (userId: string) =>
    and(eq(portalTwoFactors.userId, userId), eq(portalTwoFactors.verified, true))
  return {
    async factors(userId: string): Promise<Factors> {
      const [apps, passkeys] = await Promise.all([
        db.select({ id: portalTwoFactors.id }).from(portalTwoFactors).where(appOf(userId)),
        db
          .select()
          .from(portalPasskeys)
          .where(eq(portalPasskeys.userId, userId))
          .orderBy(asc(portalPasskeys.createdAt), asc(portalPasskeys.id)),
      ])
      return {
        hasApp: apps.length > 0,
        passkeys: passkeys.map(({ id, name, createdAt }) => ({
          ...{ id, name: name ?? '', createdMs: createdAt?.getTime() ?? 0 },
        })),
      }
    },
    /** Requires the factor from now on, and records who added it. */
    factorAdded: (profile: Profile, what: string) =>
      db.transaction(async (tx) => {
        await settle(tx, profile.userId)
        await record(tx, profile, { before: null, after: what })
      }),
    /** Removes an authenticator app with its recovery codes; false for none. */
    removeApp: (profile: Profile) =>
      db.transaction(async (tx) => {
        const apps = await tx.delete(portalTwoFactors).where(appOf(profile.userId)).returning()
        return removed(tx, profile, apps.length > 0 ? 'authenticator app' : null)
      }),
    /** Removes a passkey of the person; false for none. */
    removePasskey: (profile: Profile, id: string) =>
      db.transaction(async (tx) => {
        const isOwn = and(eq(portalPasskeys.userId, profile.userId), eq(portalPasskeys.id, id))
        const passkeys = await tx.delete(portalPasskeys).where(isOwn).returning()
        return removed(tx, profile, passkeys.length > 0 ? 'passkey' : null)
      }),
  }
}

/**
 * Removes every second factor of the account's person, and ends the sessions; null if the
 * account does not exist or no person signs in to it.
 */
export function removeFactors({ db }: Database, accountId: string, actor: string) {
  return db.transaction(async (tx) => {
    const isTheirs = and(eq(portalUsers.accountId, accountId), eq(portalUsers.emailVerified, true))
    const [user] = await tx.select().from(portalUsers).where(isTheirs).for('update')
    if (!user) return null
    const isOwn = eq(portalTwoFactors.userId, user.id)
    const apps = await tx.delete(portalTwoFactors).where(isOwn).returning()
    const passkeys = await tx
      .delete(portalPasskeys)
      .where(eq(portalPasskeys.userId, user.id))
      .returning()
    await settle(tx, user.id)
    await tx.delete(portalSessions).where(eq(portalSessions.userId, user.id))
    const count = apps.length + passkeys.length
    if (count > 0)
      await recordChange(tx, {
        ...{ actor, action: 'account changed', accountId, subject: user.email },
        ...{ before: { second_factor: 'set up' }, after: { second_factor: null } },
      })
    return { email: user.email, count }
  })
}

async function removed(tx: Tx, profile: Profile, what: string | null): Promise<boolean> {
  if (what === null) return false
  await settle(tx, profile.userId)
  await record(tx, profile, { before: what, after: null })
  return true
}

/** Decides by the person's factors whether the password alone is enough for a sign-in. */
async function settle(tx: Tx, userId: string): Promise<void> {
  await tx.execute(sql`
    update ${portalUsers} set two_factor_enabled =
      exists (select from portal_two_factors where user_id = ${userId} and verified)
      or exists (select from portal_passkeys where user_id = ${userId})
    where id = ${userId}`)
}

const record = (
  tx: Tx,
  { accountId, email }: Profile,
  { before, after }: { before: string | null; after: string | null },
) =>
  recordChange(tx, {
    ...{ actor: email, action: 'account changed', accountId, subject: email },
    ...{ before: { second_factor: before }, after: { second_factor: after } },
  })
