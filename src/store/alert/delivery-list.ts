import { and, count, desc, eq, gt } from 'drizzle-orm'
import { DELIVERIES_MAX, type Delivery, type NewDelivery } from '~/domain/alert/delivery.ts'
import type { Database, Tx } from '~/store/database.ts'
import { announced } from '~/store/news-channel.ts'
import { alertDeliveries, alerts } from './schema.ts'

type DeliveryRow = typeof alertDeliveries.$inferSelect

/** What was told of alerts, and what is to be told at once. */
export function createDeliveryList(database: Database) {
  const { db, sql } = database
  return {
    /** The newest deliveries of an alert, newest first. */
    async list(alertId: string): Promise<Delivery[]> {
      const rows = await db
        .select()
        .from(alertDeliveries)
        .where(eq(alertDeliveries.alertId, alertId))
        .orderBy(desc(alertDeliveries.createdAt), desc(alertDeliveries.id))
        .limit(DELIVERIES_MAX)
      return rows.map(deliveryOf)
    },
    /**
     * Adds a delivery, which any process takes at once; null where a limit leaves it no room, or
     * its alert is gone.
     */
    async add(delivery: NewDelivery, limit: Limit | null = null): Promise<Delivery | null> {
      const row = await db.transaction(async (tx) =>
        (await hasRoom(tx, delivery, limit)) ? inserted(tx, delivery) : null,
      )
      if (!row) return null
      await sql`select ${announced(database, { kind: 'deliveries' })}`
      return deliveryOf(row)
    },
  }
}

/** Whether there is room for another delivery of its kind; holds others of the alert until then. */
async function hasRoom(tx: Tx, { alertId, kind }: NewDelivery, limit: Limit | null) {
  const isThis = eq(alerts.id, alertId)
  const [alert] = await tx.select().from(alerts).where(isThis).for('no key update')
  if (!alert || !limit) return alert !== undefined
  const isAlike = and(eq(alertDeliveries.alertId, alertId), eq(alertDeliveries.kind, kind))
  const [alike] = await tx
    .select({ count: count() })
    .from(alertDeliveries)
    .where(and(isAlike, gt(alertDeliveries.createdAt, new Date(limit.sinceMs))))
  return alike!.count < limit.max
}

async function inserted(tx: Tx, { id, alertId, kind, body, nowMs }: NewDelivery) {
  const now = new Date(nowMs)
  const [row] = await tx
    .insert(alertDeliveries)
    .values({ id, alertId, kind, body, createdAt: now, nextAt: now })
    .returning()
  return row!
}

/** How many deliveries of a kind an alert may have since a moment. */
type Limit = { readonly max: number; readonly sinceMs: number }

const deliveryOf = (row: DeliveryRow): Delivery => ({
  id: row.id,
  alertId: row.alertId,
  kind: row.kind,
  body: row.body,
  createdMs: row.createdAt.getTime(),
  nextMs: row.nextAt.getTime(),
  tries: row.tries,
  status: row.status,
  lastStatus: row.lastStatus,
  lastError: row.lastError,
  lastMs: row.lastMs,
  doneMs: row.doneAt?.getTime() ?? null,
})
