import { desc, lt } from 'drizzle-orm'
import type { AuditEntry, AuditedChange } from '~/domain/audit.ts'
import type { Database, Tx } from '~/store/database.ts'
import { auditLog } from './schema.ts'

type AuditStore = {
  /** The newest entries with an id below `beforeId`, newest first. */
  page(page: { limit: number; beforeId: number | null }): Promise<AuditEntry[]>
}

export function createAuditStore({ db }: Database): AuditStore {
  return {
    async page({ limit, beforeId }) {
      const rows = await db
        .select()
        .from(auditLog)
        .where(beforeId === null ? undefined : lt(auditLog.id, beforeId))
        .orderBy(desc(auditLog.id))
        .limit(limit)
      return rows.map(({ at, ...entry }) => ({ ...entry, atMs: at.getTime() }) as AuditEntry)
    },
  }
}

/**
 * Records a change in the transaction that makes it, so that there is never one without the other.
 */
export async function recordChange(tx: Tx, change: AuditedChange): Promise<void> {
  await tx.insert(auditLog).values(change)
}
