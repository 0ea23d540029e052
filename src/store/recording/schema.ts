import { sql } from 'drizzle-orm'
import {
  bigint,
  char,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import type { UploadChoices } from '~/domain/upload.ts'
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
    index('withdrawals_as_of').on(t.providerCorridorId, t.effectiveFrom, t.id),
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

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Tables that people sent and look at; each is deleted once it is recorded, or hours later. */
export const uploadDrafts = pgTable(
  'upload_drafts',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The address of the person who sent it. */
    person: text('person').notNull(),
    fileName: text('file_name').notNull(),
    createdAt: instant('created_at').notNull(),
    rows: integer('rows').notNull(),
    /** The table as JSON, compressed by gzip. */
    content: bytes('content').notNull(),
    choices: jsonb('choices').$type<UploadChoices>().notNull(),
  },
  (t) => [
    index('upload_drafts_account').on(t.accountId, t.createdAt),
    index('upload_drafts_created').on(t.createdAt),
  ],
)

/** Choices of an account for reading the tables that it sent, by the names of their columns. */
export const uploadLayouts = pgTable(
  'upload_layouts',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The names of the columns, in their order. */
    header: text('header').array().notNull(),
    /** SHA-256 of these names, in hex. */
    hash: char('hash', { length: 64 }).notNull(),
    choices: jsonb('choices').$type<UploadChoices>().notNull(),
    usedAt: instant('used_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.hash] })],
)

/** Tables that were recorded, each in the transaction of its rows. */
export const uploads = pgTable(
  'uploads',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The address of the person; null once their account is deleted. */
    person: text('person'),
    fileName: text('file_name').notNull(),
    recordedAt: instant('recorded_at').notNull(),
    /** The rows recorded, ascending. */
    ids: bigint('ids', { mode: 'number' }).array().notNull(),
    /** Between which times these took effect. */
    since: instant('since').notNull(),
    until: instant('until').notNull(),
    withdrawnAt: instant('withdrawn_at'),
  },
  (t) => [
    index('uploads_account').on(t.accountId, t.recordedAt),
    index('uploads_recorded').on(t.recordedAt),
  ],
)
