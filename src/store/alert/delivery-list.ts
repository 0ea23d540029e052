import { and, count, desc, eq, gt } from 'drizzle-orm'
import { DELIVERIES_MAX, type Delivery, type DeliveryKind } from '~/domain/alert/delivery.ts'
import type { Database } from '~/store/database.ts'
import { announced } from '~/store/news-channel.ts'
import { alertDeliveries } from './schema.ts'

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
    /** How many tests of an alert were asked for since a moment. */
    async testsSince(alertId: string, sinceMs: number): Promise<number> {
      const isOne = and(eq(alertDeliveries.alertId, alertId), eq(alertDeliveries.kind, 'test'))
      const [tests] = await db
        .select({ count: count() })
        .from(alertDeliveries)
        .where(and(isOne, gt(alertDeliveries.createdAt, new Date(sinceMs))))
      return tests!.count
    },
    /** Adds a delivery, which any process takes at once. */
    async add({ id, alertId, kind, body, nowMs }: NewDelivery): Promise<Delivery> {
      const now = new Date(nowMs)
      const [row] = await db
        .insert(alertDeliveries)
        .values({ id, alertId, kind, body, createdAt: now, nextAt: now })
        .returning()
      await sql`select ${announced(database, { kind: 'deliveries' })}`
      return deliveryOf(row!)
    },
  }
}

type NewDelivery = {
  readonly id: string
  readonly alertId: string
  readonly kind: DeliveryKind
  readonly body: string
  readonly nowMs: number
}

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
