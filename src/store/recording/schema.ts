import { sql } from 'drizzle-orm'
import {
  bigint,
  char,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { accounts, providerCorridors, saidColumns } from '~/store/schema.ts'

/**
 * Accounts, by the keys with which they recorded; one row for each pair, which observations name.
 * Append-only.
 */
export const recorders = pgTable(
  'recorders',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** Null for what an account recorded without a key. */
    keyId: uuid('key_id'),
  },
  (t) => [uniqueIndex('recorders_pair').on(t.accountId, sql`coalesce(${t.keyId}, ${t.accountId})`)],
)

/**
 * Observations that were withdrawn, each with all that it said, append-only. Nothing that answers
 * for the present or the past reads them, unless it asks for them: a withdrawn row is in
 * `observations` until it is in here.
 */
export const withdrawals = pgTable(
  'withdrawals',
  {
    id: bigint('id', { mode: 'number' }).notNull(),
    ...saidColumns(),
    withdrawnAt: instant('withdrawn_at').notNull(),
    /** The row of `recorders` of whoever withdrew it. */
    withdrawnBy: integer('withdrawn_by'),
    reason: text('reason').notNull(),
  },
  (t) => [
    primaryKey({ name: 'withdrawals_pkey', columns: [t.id, t.corridorId] }),
    foreignKey({
      name: 'withdrawals_provider_corridor',
      columns: [t.providerCorridorId, t.corridorId],
      foreignColumns: [providerCorridors.id, providerCorridors.corridorId],
    }),
    index('withdrawals_history').on(t.corridorId, t.effectiveFrom, t.id),
  ],
)

/** Answers to ingestions, kept for 24 hours so that a retry gets the first answer again. */
export const idempotency = pgTable(
  'idempotency',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    key: text('key').notNull(),
    bodyHash: char('body_hash', { length: 64 }).notNull(),
    inserted: integer('inserted').notNull(),
    /** The new rows, in their order; null from versions that do not keep them. */
    ids: bigint('ids', { mode: 'number' }).array(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.key] }),
    index('idempotency_created').on(t.createdAt),
  ],
)
