import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import type { UploadChoices } from '~/domain/upload.ts'
import { bytes } from '~/store/file/schema.ts'
import { instant, moment } from '~/store/instant-column.ts'
import { ofAccount, providerCorridors, saidColumns } from '~/store/schema.ts'

/** Accounts by the keys with which they recorded, one row for each pair. Append-only. */
export const recorders = pg.pgTable(
  'recorders',
  {
    id: pg.integer('id').primaryKey().generatedAlwaysAsIdentity(),
    accountId: ofAccount(),
    /** Null for rows that an account recorded without a key. */
    keyId: pg.uuid('key_id'),
  },
  (t) => [
    pg.uniqueIndex('recorders_pair').on(t.accountId, sql`coalesce(${t.keyId}, ${t.accountId})`),
  ],
)

/**
 * Observations that were withdrawn, each with all of its fields, append-only. Queries about the
 * present or the past do not read them, unless they ask for them: a withdrawn row is in
 * `observations` until it is in here.
 */
export const withdrawals = pg.pgTable(
  'withdrawals',
  {
    id: pg.bigint('id', { mode: 'number' }).notNull(),
    ...saidColumns(),
    withdrawnAt: instant('withdrawn_at').notNull(),
    /** The row of `recorders` of the account that withdrew it. */
    withdrawnBy: pg.integer('withdrawn_by'),
    reason: pg.text('reason').notNull(),
  },
  (t) => [
    pg.primaryKey({ name: 'withdrawals_pkey', columns: [t.id, t.corridorId] }),
    pg.foreignKey({
      name: 'withdrawals_provider_corridor',
      columns: [t.providerCorridorId, t.corridorId],
      foreignColumns: [providerCorridors.id, providerCorridors.corridorId],
    }),
    pg.index('withdrawals_history').on(t.corridorId, t.effectiveFrom, t.id),
    pg.index('withdrawals_as_of').on(t.providerCorridorId, t.effectiveFrom, t.id),
  ],
)

/** Responses to ingestions, retained for 24 hours so that a retry gets the first response again. */
export const idempotency = pg.pgTable(
  'idempotency',
  {
    accountId: ofAccount(),
    key: pg.text('key').notNull(),
    bodyHash: pg.char('body_hash', { length: 64 }).notNull(),
    inserted: pg.integer('inserted').notNull(),
    /** The new rows, in their order; null from versions that do not keep them. */
    ids: pg.bigint('ids', { mode: 'number' }).array(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.accountId, t.key] }),
    pg.index('idempotency_created').on(t.createdAt),
  ],
)

/** Tables that people sent and look at; each is deleted once it is recorded, or hours later. */
export const uploadDrafts = pg.pgTable(
  'upload_drafts',
  {
    id: pg.uuid('id').primaryKey(),
    accountId: ofAccount(),
    /** The address of the person who sent it. */
    person: pg.text('person').notNull(),
    fileName: pg.text('file_name').notNull(),
    createdMs: moment('created_at').notNull(),
    rows: pg.integer('rows').notNull(),
    /** The table as JSON, compressed by gzip. */
    content: bytes('content').notNull(),
    choices: pg.jsonb('choices').$type<UploadChoices>().notNull(),
  },
  (t) => [
    pg.index('upload_drafts_account').on(t.accountId, t.createdMs),
    pg.index('upload_drafts_created').on(t.createdMs),
  ],
)

/** Choices of an account for reading the tables that it sent, by the names of their columns. */
export const uploadLayouts = pg.pgTable(
  'upload_layouts',
  {
    accountId: ofAccount(),
    /** The names of the columns, in their order. */
    header: pg.text('header').array().notNull(),
    /** SHA-256 of these names, in hex. */
    hash: pg.char('hash', { length: 64 }).notNull(),
    choices: pg.jsonb('choices').$type<UploadChoices>().notNull(),
    usedMs: moment('used_at').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.accountId, t.hash] })],
)

/** Tables that were recorded, each in the transaction of its rows. */
export const uploads = pg.pgTable(
  'uploads',
  {
    id: pg.uuid('id').primaryKey(),
    accountId: ofAccount(),
    /** The address of the person; null once their account is deleted. */
    person: pg.text('person'),
    fileName: pg.text('file_name').notNull(),
    recordedMs: moment('recorded_at').notNull(),
    /** The rows recorded, ascending. */
    ids: pg.bigint('ids', { mode: 'number' }).array().notNull(),
    /** Between which times these took effect. */
    sinceMs: moment('since').notNull(),
    untilMs: moment('until').notNull(),
    withdrawnMs: moment('withdrawn_at'),
  },
  (t) => [
    pg.index('uploads_account').on(t.accountId, t.recordedMs),
    pg.index('uploads_recorded').on(t.recordedMs),
  ],
)
