import { and, desc, eq, gte, ilike, lt } from 'drizzle-orm'
import type { AuditEntry, AuditedChange, AuditFilter, AuditPage } from '~/domain/audit.ts'
import type { Database, Tx } from '~/store/database.ts'
import { containing } from '~/store/encoding.ts'
import { auditLog } from './schema.ts'

export function createAuditStore({ db }: Database) {
  return {
    async page({ filter, limit, beforeId }: AuditPage) {
      const rows = await db
        .select()
        .from(auditLog)
        .where(and(beforeId === null ? undefined : lt(auditLog.id, beforeId), ...fits(filter)))
        .orderBy(desc(auditLog.id))
        .limit(limit)
      return rows as AuditEntry[]
    },
  }
}

const fits = ({ actor, action, subject, fromMs, beforeMs }: AuditFilter) => [
  actor === null ? undefined : ilike(auditLog.actor, containing(actor)),
  action === null ? undefined : eq(auditLog.action, action),
  subject === null ? undefined : ilike(auditLog.subject, containing(subject)),
  fromMs === null ? undefined : gte(auditLog.atMs, fromMs),
  beforeMs === null ? undefined : lt(auditLog.atMs, beforeMs),
]

/** Records a change in the transaction that makes it, so neither exists without the other. */
export async function recordChange(tx: Tx, change: AuditedChange): Promise<void> {
  await tx.insert(auditLog).values(change)
}
