import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, jsonb, numeric, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './instant-column.ts'

/** One fetch of one feed. */
export const referenceSnapshots = pgTable(
  'reference_snapshots',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    source: text('source').notNull(),
    fetchedAt: instant('fetched_at').notNull(),
    recordedAt: instant('recorded_at').notNull().defaultNow(),
    /** The publisher's own time; null for an import. */
    upstreamAt: instant('upstream_at'),
  },
  (t) => [index('reference_snapshots_as_of').on(t.fetchedAt, t.id)],
)

/** Units of each currency per US dollar in a snapshot; append-only like observations. */
export const referenceRates = pgTable(
  'reference_rates',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    fetchedAt: instant('fetched_at').notNull(),
    snapshotId: bigint('snapshot_id', { mode: 'number' })
      .notNull()
      .references(() => referenceSnapshots.id),
    currency: text('currency').notNull(),
    perUsd: numeric('per_usd').notNull(),
  },
  (t) => [index('reference_rates_as_of').on(t.currency, t.fetchedAt, t.id)],
)

/** What is known about the feeds after the last run: one row. */
export const referenceFeedState = pgTable(
  'reference_feed_state',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    state: jsonb('state').notNull(),
  },
  (t) => [check('reference_feed_state_one_row', sql`${t.isOnly}`)],
)
