import { desc, eq } from 'drizzle-orm'
import { DELIVERIES_MAX, type Delivery, type NewDelivery } from '~/domain/alert/delivery.ts'
import type { Database, Tx } from '~/store/database.ts'
import { announced } from '~/store/notification-channel.ts'
import { alertDeliveries, alerts } from './schema.ts'

type DeliveryRow = typeof alertDeliveries.$inferSelect

export function createDeliveryList(database: Database) {
  const { db, sql } = database
  return {
    async list(alertId: string): Promise<Delivery[]> {
      const rows = await db
        .select()
        .from(alertDeliveries)
        .where(eq(alertDeliveries.alertId, alertId))
        .orderBy(desc(alertDeliveries.createdMs), desc(alertDeliveries.id))
        .limit(DELIVERIES_MAX)
      return rows.map(deliveryOf)
    },
    /** Adds a delivery, which any process takes at once; null if its alert is gone. */
    async add(delivery: NewDelivery): Promise<Delivery | null> {
      const row = await db.transaction(async (tx) =>
        (await isThere(tx, delivery)) ? inserted(tx, delivery) : null,
      )
      if (!row) return null
      await sql`select ${announced(database, { kind: 'deliveries' })}`
      return deliveryOf(row)
    },
  }
}

/** Reports whether a delivery's alert exists, which then stays so until the transaction ends. */
async function isThere(tx: Tx, { alertId }: NewDelivery): Promise<boolean> {
  const [alert] = await tx.select().from(alerts).where(eq(alerts.id, alertId)).for('key share')
  return alert !== undefined
}

async function inserted(tx: Tx, { id, alertId, kind, body, nowMs }: NewDelivery) {
  const [row] = await tx
    .insert(alertDeliveries)
    .values({ id, alertId, kind, body, createdMs: nowMs, nextMs: nowMs })
    .returning()
  return row!
}

const deliveryOf = ({ claimedUntil: _, firstFailedAt: _failed, ...row }: DeliveryRow): Delivery =>
  row
