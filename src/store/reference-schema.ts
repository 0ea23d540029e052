import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  jsonb,
  numeric,
  pgEnum,
  pgTable,
  text,
} from 'drizzle-orm/pg-core'
import { FEED_BASES } from '~/domain/mid.ts'
import { instant } from './instant-column.ts'

export const referenceBasis = pgEnum('reference_basis', FEED_BASES)

/** One fetch of one feed, or of several that agree. */
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
    /** Null for what was imported, or fetched from one feed without asking others. */
    basis: referenceBasis('basis'),
    /** Half the range of the values used, in basis points; null unless several agree. */
    dispersionBps: doublePrecision('dispersion_bps'),
  },
  (t) => [index('reference_rates_as_of').on(t.currency, t.fetchedAt, t.id)],
)

/** Response of one feed in one run; append-only. */
export const referenceAnswers = pgTable(
  'reference_answers',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The time when the run began; the answers of one run share it. */
    ranAt: instant('ran_at').notNull(),
    feed: text('feed').notNull(),
    fetchedAt: instant('fetched_at').notNull(),
    upstreamAt: instant('upstream_at').notNull(),
    /** When it was recorded; null in rows, and in backups, from before there was this column. */
    recordedAt: instant('recorded_at').default(
      sql`case when current_setting('corridor.restoring', true) = 'on' then null else now() end`,
    ),
    /** Units per US dollar as text, by currency. */
    rates: jsonb('rates').notNull(),
    /** Why a value is no part of the reference, by currency. */
    unused: jsonb('unused').notNull(),
  },
  (t) => [index('reference_answers_ran').on(t.ranAt)],
)

/** State of the feeds after the last run: one row. */
export const referenceFeedState = pgTable(
  'reference_feed_state',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    state: jsonb('state').notNull(),
  },
  (t) => [check('reference_feed_state_one_row', sql`${t.isOnly}`)],
)
