import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  numeric,
  pgEnum,
  pgTable,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { ALERT_OPS, ALERT_STATUSES } from '~/domain/alert/alert.ts'
import { DELIVERY_KINDS, DELIVERY_STATUSES } from '~/domain/alert/delivery.ts'
import { ALERT_FIELDS } from '~/domain/alert/field.ts'
import { instant } from '~/store/instant-column.ts'
import { accounts, currencies } from '~/store/schema.ts'

export const alertField = pgEnum('alert_field', ALERT_FIELDS)
export const alertOp = pgEnum('alert_op', ALERT_OPS)
export const alertStatus = pgEnum('alert_status', ALERT_STATUSES)
export const deliveryKind = pgEnum('alert_delivery_kind', DELIVERY_KINDS)
export const deliveryStatus = pgEnum('alert_delivery_status', DELIVERY_STATUSES)

/** Alerts of accounts, with their state when they were last evaluated. */
export const alerts = pgTable(
  'alerts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    createdAt: instant('created_at').notNull(),
    name: text('name'),
    source: text('source')
      .notNull()
      .references(() => currencies.code),
    target: text('target')
      .notNull()
      .references(() => currencies.code),
    /** The countries that prices are to be for; null for any. */
    sourceCountry: text('source_country'),
    targetCountry: text('target_country'),
    amount: numeric('amount', { mode: 'number' }),
    field: alertField('field').notNull(),
    /** Null for `stale`, which compares nothing. */
    op: alertOp('op'),
    value: numeric('value', { mode: 'number' }),
    periodMs: bigint('period_ms', { mode: 'number' }),
    /** URL that a firing is posted to; null for an email to the owner. */
    webhookUrl: text('webhook_url'),
    isOnce: boolean('is_once').notNull(),
    status: alertStatus('status').notNull().default('active'),
    /** Why it is not active, or what a person should know of it. */
    reason: text('reason'),
    /** Grows with every change of what is judged; a judgement of an older one is not kept. */
    revision: integer('revision').notNull().default(0),
    isTrue: boolean('is_true').notNull(),
    judgedPosition: bigint('judged_position', { mode: 'number' }).notNull(),
    /** Base of a move; null if none is measured or it is not known yet. */
    base: doublePrecision('base'),
    /** The value when it was last judged differently. */
    lastValue: doublePrecision('last_value'),
    firedAt: instant('fired_at'),
    endedAt: instant('ended_at'),
    /** The key of signatures, encrypted; null for a mail. */
    secret: text('secret'),
    /** The key before it, which also signs for a while. */
    oldSecret: text('old_secret'),
    oldSecretEndsAt: instant('old_secret_ends_at'),
  },
  (t) => [
    index('alerts_account').on(t.accountId, t.createdAt, t.id),
    index('alerts_active').on(t.createdAt, t.id).where(sql`${t.status} = 'active'`),
    index('alerts_webhook').on(t.webhookUrl),
    check('alerts_amount', sql`${t.amount} > 0`),
    check('alerts_comparison', sql`(${t.op} is null) = (${t.field}::text in ('stale', 'monthly'))`),
    check('alerts_value', sql`(${t.value} is null) = (${t.op} is null)`),
    check('alerts_secret', sql`(${t.secret} is null) = (${t.webhookUrl} is null)`),
  ],
)

/** Deliveries and their attempts; the id is the receiver's `webhook-id`. */
export const alertDeliveries = pgTable(
  'alert_deliveries',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    alertId: uuid('alert_id')
      .notNull()
      .references(() => alerts.id, { onDelete: 'cascade' }),
    kind: deliveryKind('kind').notNull(),
    /** The very text that is signed and sent. */
    body: text('body').notNull(),
    createdAt: instant('created_at').notNull(),
    nextAt: instant('next_at').notNull(),
    /** The time until which a process has it; null for none. */
    claimedUntil: instant('claimed_until'),
    tries: integer('tries').notNull().default(0),
    firstFailedAt: instant('first_failed_at'),
    status: deliveryStatus('status').notNull().default('waiting'),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    /** Reply of a mail server; null for a webhook. */
    lastReply: text('last_reply'),
    lastMs: integer('last_ms'),
    doneAt: instant('done_at'),
  },
  (t) => [
    index('alert_deliveries_due').on(t.nextAt).where(sql`${t.status} = 'waiting'`),
    index('alert_deliveries_alert').on(t.alertId, t.createdAt),
    index('alert_deliveries_created').on(t.createdAt),
  ],
)
