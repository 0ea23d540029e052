import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Kept } from '~/domain/person/kept.ts'
import { listKeys } from '~/store/access/key-store.ts'
import { alertOf } from '~/store/alert/alert-store.ts'
import { alertDeliveries, alerts } from '~/store/alert/schema.ts'
import type { Database, Tx } from '~/store/database.ts'
import { uploadDrafts, uploadLayouts, uploads } from '~/store/recording/schema.ts'
import { accounts, usage } from '~/store/schema.ts'
import { createFactorStore } from './factor-store.ts'
import { oauthClients, oauthConsents } from './oauth-schema.ts'
import { auditLog, portalUsers } from './schema.ts'
import { createSessionStore } from './session-store.ts'

type Own = { readonly userId: string; readonly accountId: string; readonly nowMs: number }

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
  const { people, accounts: held, alerts: watched, changes, ...kept } = rows
  const [person] = people
  const [account] = held
  if (!person || !account) throw new Error(`nothing is stored about account ${accountId}`)
  const { email, createdAt, language } = person
  return {
    person: { email, createdMs: createdAt.getTime(), language },
    ...{ account, factors, sessions, ...kept },
    applications: kept.applications.map(({ createdAt, ...one }) => ({
      ...{ ...one, createdMs: createdAt.getTime() },
    })),
    alerts: watched.map(alertOf),
    changes: changes as Kept['changes'],
  }
}

async function rowsOf(tx: Tx, { userId, accountId }: Own) {
  return {
    people: await tx.select().from(portalUsers).where(eq(portalUsers.id, userId)),
    accounts: await tx.select().from(accounts).where(eq(accounts.id, accountId)),
    keys: await listKeys(tx, accountId),
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
  const { fileName, person, recordedMs, withdrawnMs } = uploads
  const rowCount = sql<number>`cardinality(${uploads.ids})`
  const { createdMs, rows } = uploadDrafts
  const draft = { fileName: uploadDrafts.fileName, person: uploadDrafts.person, createdMs }
  const { header, choices, usedMs } = uploadLayouts
  return {
    uploads: await tx
      .select({ fileName, person, recordedMs, withdrawnMs, rowCount })
      .from(uploads)
      .where(eq(uploads.accountId, accountId))
      .orderBy(asc(recordedMs), asc(uploads.id)),
    drafts: await tx
      .select({ ...draft, rowCount: rows })
      .from(uploadDrafts)
      .where(eq(uploadDrafts.accountId, accountId))
      .orderBy(asc(createdMs), asc(uploadDrafts.id)),
    layouts: await tx
      .select({ header, choices, usedMs })
      .from(uploadLayouts)
      .where(eq(uploadLayouts.accountId, accountId))
      .orderBy(asc(usedMs), asc(uploadLayouts.hash)),
  }
}

async function eventsOf(tx: Tx, accountId: Own['accountId']) {
  const { alertId, createdMs, status, body } = alertDeliveries
  const { atMs, actor, action, subject, before, after } = auditLog
  return {
    alerts: await tx.select().from(alerts).where(eq(alerts.accountId, accountId)),
    deliveries: await tx
      .select({ alertId, createdMs, status, body })
      .from(alertDeliveries)
      .innerJoin(alerts, and(eq(alerts.id, alertId), eq(alerts.accountId, accountId)))
      .orderBy(desc(createdMs)),
    changes: await tx
      .select({ atMs, actor, action, subject, before, after })
      .from(auditLog)
      .where(eq(auditLog.accountId, accountId))
      .orderBy(asc(auditLog.id)),
  }
}
