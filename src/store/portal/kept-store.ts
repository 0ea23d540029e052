import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Kept } from '~/domain/person/kept.ts'
import { keyOf } from '~/store/access/key-store.ts'
import { alertOf } from '~/store/alert/alert-store.ts'
import { alertDeliveries, alerts } from '~/store/alert/schema.ts'
import type { Database, Tx } from '~/store/database.ts'
import { uploadDrafts, uploadLayouts, uploads } from '~/store/recording/schema.ts'
import { accounts, keys, usage } from '~/store/schema.ts'
import { createFactorStore } from './factor-store.ts'
import { oauthClients, oauthConsents } from './oauth-schema.ts'
import { auditLog, portalUsers } from './schema.ts'
import { createSessionStore } from './session-store.ts'

type Own = { readonly userId: string; readonly accountId: string; readonly nowMs: number }

/** Everything that is kept of a person. */
export async function keptOf(database: Database, own: Own): Promise<Kept> {
  const { userId, accountId, nowMs } = own
  const [rows, factors, sessions] = await Promise.all([
    database.db.transaction((tx) => rowsOf(tx, own), {
      isolationLevel: 'repeatable read',
      accessMode: 'read only',
    }),
    createFactorStore(database).factors(userId),
    createSessionStore(database).sessions(userId, nowMs),
  ])
  const [person] = rows.people
  const [account] = rows.accounts
  if (!person || !account) throw new Error(`nothing is kept of account ${accountId}`)
  return {
    person: {
      email: person.email,
      createdMs: person.createdAt.getTime(),
      language: person.language,
    },
    account: { ...account, createdMs: account.createdAt.getTime() },
    ...{ factors, sessions, usage: rows.usage },
    keys: rows.keys.map((row) => ({ ...keyOf(row), createdMs: row.createdAt.getTime() })),
    applications: rows.applications.map(({ createdAt, ...one }) => ({
      ...{ ...one, createdMs: createdAt.getTime() },
    })),
    alerts: rows.alerts.map(alertOf),
    deliveries: rows.deliveries.map(({ createdAt, ...one }) => ({
      ...{ ...one, createdMs: createdAt.getTime() },
    })),
    changes: rows.changes.map(({ at, ...one }) => ({
      ...one,
      atMs: at.getTime(),
    })) as Kept['changes'],
    uploads: rows.uploads.map(({ recordedAt, withdrawnAt, ...one }) => ({
      ...one,
      recordedMs: recordedAt.getTime(),
      withdrawnMs: withdrawnAt?.getTime() ?? null,
    })),
    drafts: rows.drafts.map(({ createdAt, ...one }) => ({
      ...one,
      createdMs: createdAt.getTime(),
    })),
    layouts: rows.layouts.map(({ usedAt, ...one }) => ({ ...one, usedMs: usedAt.getTime() })),
  }
}

async function rowsOf(tx: Tx, { userId, accountId }: Own) {
  return {
    people: await tx.select().from(portalUsers).where(eq(portalUsers.id, userId)),
    accounts: await tx.select().from(accounts).where(eq(accounts.id, accountId)),
    keys: await tx
      .select()
      .from(keys)
      .where(eq(keys.accountId, accountId))
      .orderBy(asc(keys.createdAt), asc(keys.id)),
    usage: await tx
      .select({ day: usage.day, keyId: usage.keyId, requests: usage.requests })
      .from(usage)
      .where(eq(usage.accountId, accountId))
      .orderBy(asc(usage.day), asc(usage.keyId)),
    applications: await tx
      .select({
        name: oauthClients.name,
        clientId: oauthClients.clientId,
        createdAt: oauthConsents.createdAt,
      })
      .from(oauthConsents)
      .innerJoin(oauthClients, eq(oauthClients.clientId, oauthConsents.clientId))
      .where(eq(oauthConsents.userId, userId))
      .orderBy(asc(oauthConsents.createdAt)),
    ...(await eventsOf(tx, accountId)),
    ...(await sentBy(tx, accountId)),
  }
}

/** The tables that an account uploaded, those it looks at, and how it has them read. */
async function sentBy(tx: Tx, accountId: string) {
  return {
    uploads: await tx
      .select({
        fileName: uploads.fileName,
        person: uploads.person,
        recordedAt: uploads.recordedAt,
        withdrawnAt: uploads.withdrawnAt,
        rowCount: sql<number>`cardinality(${uploads.ids})`,
      })
      .from(uploads)
      .where(eq(uploads.accountId, accountId))
      .orderBy(asc(uploads.recordedAt), asc(uploads.id)),
    drafts: await tx
      .select({
        fileName: uploadDrafts.fileName,
        person: uploadDrafts.person,
        createdAt: uploadDrafts.createdAt,
        rowCount: uploadDrafts.rows,
      })
      .from(uploadDrafts)
      .where(eq(uploadDrafts.accountId, accountId))
      .orderBy(asc(uploadDrafts.createdAt), asc(uploadDrafts.id)),
    layouts: await tx
      .select({
        header: uploadLayouts.header,
        choices: uploadLayouts.choices,
        usedAt: uploadLayouts.usedAt,
      })
      .from(uploadLayouts)
      .where(eq(uploadLayouts.accountId, accountId))
      .orderBy(asc(uploadLayouts.usedAt), asc(uploadLayouts.hash)),
  }
}

/** The alerts of an account, what they sent, and the changes of the account. */
async function eventsOf(tx: Tx, accountId: Own['accountId']) {
  return {
    alerts: await tx.select().from(alerts).where(eq(alerts.accountId, accountId)),
    deliveries: await tx
      .select({
        alertId: alertDeliveries.alertId,
        createdAt: alertDeliveries.createdAt,
        status: alertDeliveries.status,
        body: alertDeliveries.body,
      })
      .from(alertDeliveries)
      .innerJoin(
        alerts,
        and(eq(alerts.id, alertDeliveries.alertId), eq(alerts.accountId, accountId)),
      )
      .orderBy(desc(alertDeliveries.createdAt)),
    changes: await tx
      .select({
        at: auditLog.at,
        actor: auditLog.actor,
        action: auditLog.action,
        subject: auditLog.subject,
        before: auditLog.before,
        after: auditLog.after,
      })
      .from(auditLog)
      .where(eq(auditLog.accountId, accountId))
      .orderBy(asc(auditLog.id)),
  }
}
