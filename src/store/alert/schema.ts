import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { ALERT_OPS, ALERT_STATUSES } from '~/domain/alert/alert.ts'
import { DELIVERY_KINDS, DELIVERY_STATUSES } from '~/domain/alert/delivery.ts'
import { ALERT_FIELDS, fieldsThat } from '~/domain/alert/field.ts'
import { instant, moment } from '~/store/instant-column.ts'
import { ofAccount, ofCurrency } from '~/store/schema.ts'

export const alertField = pg.pgEnum('alert_field', ALERT_FIELDS)
const uncompared = fieldsThat(({ unit }) => unit === null)
const UNCOMPARED = sql.raw(uncompared.map((field) => `'${field}'`).join(', '))
export const alertOp = pg.pgEnum('alert_op', ALERT_OPS)
export const alertStatus = pg.pgEnum('alert_status', ALERT_STATUSES)
export const deliveryKind = pg.pgEnum('alert_delivery_kind', DELIVERY_KINDS)
export const deliveryStatus = pg.pgEnum('alert_delivery_status', DELIVERY_STATUSES)

/** Alerts of accounts, with their state when they were last evaluated. */
export const alerts = pg.pgTable(
  'alerts',
  {
    id: pg.uuid('id').primaryKey().defaultRandom(),
    accountId: ofAccount(),
    createdMs: moment('created_at').notNull(),
    name: pg.text('name'),
    source: ofCurrency('source'),
    target: ofCurrency('target'),
    /** The countries that prices are to be for; null for any. */
    sourceCountry: pg.text('source_country'),
    targetCountry: pg.text('target_country'),
    amount: pg.numeric('amount', { mode: 'number' }),
    field: alertField('field').notNull(),
    /** Null for a field without a unit, which compares nothing. */
    op: alertOp('op'),
    value: pg.numeric('value', { mode: 'number' }),
    periodMs: pg.bigint('period_ms', { mode: 'number' }),
    /** URL that a firing is posted to; null for an email to the owner. */
    webhookUrl: pg.text('webhook_url'),
    isOnce: pg.boolean('is_once').notNull(),
    status: alertStatus('status').notNull().default('active'),
    /** The reason why it is not active, or a note for its owner. */
    reason: pg.text('reason'),
    /** Grows with each change of the condition; evaluations of older revisions are discarded. */
    revision: pg.integer('revision').notNull().default(0),
    isTrue: pg.boolean('is_true').notNull(),
    evaluatedPosition: pg.bigint('judged_position', { mode: 'number' }).notNull(),
    /** Base of a move, null if none is known; of a monthly alert the time when it became so. */
    base: pg.doublePrecision('base'),
    /** The value when its evaluation last changed. */
    lastValue: pg.doublePrecision('last_value'),
    firedMs: moment('fired_at'),
    endedMs: moment('ended_at'),
    /** The key of signatures, encrypted; null for an email. */
    secret: pg.text('secret'),
    /** The key before it, which also signs for a while. */
    oldSecret: pg.text('old_secret'),
    oldSecretEndsMs: moment('old_secret_ends_at'),
    /** Earlier keys that still sign, each as `{secret, ends_at}`, oldest first. */
    olderSecrets: pg.jsonb('older_secrets').notNull().default([]),
  },
  (t) => [
    pg.index('alerts_account').on(t.accountId, t.createdMs, t.id),
    pg.index('alerts_active').on(t.createdMs, t.id).where(sql`${t.status} = 'active'`),
    pg.index('alerts_webhook').on(t.webhookUrl),
    pg.check('alerts_amount', sql`${t.amount} > 0`),
    pg.check('alerts_comparison', sql`(${t.op} is null) = (${t.field}::text in (${UNCOMPARED}))`),
    pg.check('alerts_value', sql`(${t.value} is null) = (${t.op} is null)`),
    pg.check('alerts_secret', sql`(${t.secret} is null) = (${t.webhookUrl} is null)`),
  ],
)

/** Deliveries and their attempts; the id is the receiver's `webhook-id`. */
export const alertDeliveries = pg.pgTable(
  'alert_deliveries',
  {
    id: pg.uuid('id').primaryKey().defaultRandom(),
    alertId: pg
      .uuid('alert_id')
      .notNull()
      .references(() => alerts.id, { onDelete: 'cascade' }),
    kind: deliveryKind('kind').notNull(),
    /** The exact string that is signed and sent. */
    body: pg.text('body').notNull(),
    createdMs: moment('created_at').notNull(),
    nextMs: moment('next_at').notNull(),
    /** The time until which a process has it; null for none. */
    claimedUntil: instant('claimed_until'),
    tries: pg.integer('tries').notNull().default(0),
    firstFailedAt: instant('first_failed_at'),
    status: deliveryStatus('status').notNull().default('waiting'),
    lastStatus: pg.integer('last_status'),
    lastError: pg.text('last_error'),
    /** Reply of an email server; null for a webhook. */
    lastReply: pg.text('last_reply'),
    lastMs: pg.integer('last_ms'),
    doneMs: moment('done_at'),
  },
  (t) => [
    pg.index('alert_deliveries_due').on(t.nextMs).where(sql`${t.status} = 'waiting'`),
    pg.index('alert_deliveries_alert').on(t.alertId, t.createdMs),
    pg.index('alert_deliveries_created').on(t.createdMs),
  ],
)
