import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { FEED_BASES } from '~/domain/mid.ts'
import { instant } from './instant-column.ts'

export const referenceBasis = pg.pgEnum('reference_basis', FEED_BASES)

/** One fetch of one feed, or of several that agree. */
export const referenceSnapshots = pg.pgTable(
  'reference_snapshots',
  {
    id: pg.bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    source: pg.text('source').notNull(),
    fetchedAt: instant('fetched_at').notNull(),
    recordedAt: instant('recorded_at').notNull().defaultNow(),
    /** The publisher's own time; null for an import. */
    upstreamAt: instant('upstream_at'),
  },
  (t) => [pg.index('reference_snapshots_as_of').on(t.fetchedAt, t.id)],
)

/** Units of each currency per US dollar in a snapshot; append-only like observations. */
export const referenceRates = pg.pgTable(
  'reference_rates',
  {
    id: pg.bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    fetchedAt: instant('fetched_at').notNull(),
    snapshotId: pg
      .bigint('snapshot_id', { mode: 'number' })
      .notNull()
      .references(() => referenceSnapshots.id),
    currency: pg.text('currency').notNull(),
    perUsd: pg.numeric('per_usd').notNull(),
    /** Null for an imported reference, or one fetched from one feed without asking others. */
    basis: referenceBasis('basis'),
    /** Half the range of the values used, in basis points; null unless several agree. */
    dispersionBps: pg.doublePrecision('dispersion_bps'),
  },
  (t) => [pg.index('reference_rates_as_of').on(t.currency, t.fetchedAt, t.id)],
)

/** Response of one feed in one run; append-only. */
export const referenceAnswers = pg.pgTable(
  'reference_answers',
  {
    id: pg.bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The time when the run began; the responses of one run share it. */
    ranAt: instant('ran_at').notNull(),
    feed: pg.text('feed').notNull(),
    fetchedAt: instant('fetched_at').notNull(),
    upstreamAt: instant('upstream_at').notNull(),
    /** The time of recording; null in rows, and in backups, from before there was this column. */
    recordedAt: instant('recorded_at').default(
      sql`case when current_setting('corridor.restoring', true) = 'on' then null else now() end`,
    ),
    /** Units per US dollar as a string, by currency. */
    rates: pg.jsonb('rates').notNull(),
    /** The reason why a value is not part of the reference, by currency. */
    unused: pg.jsonb('unused').notNull(),
  },
  (t) => [pg.index('reference_answers_ran').on(t.ranAt)],
)

/** State of the feeds after the last run: one row. */
export const referenceFeedState = pg.pgTable(
  'reference_feed_state',
  {
    isOnly: pg.boolean('is_only').primaryKey().default(true),
    state: pg.jsonb('state').notNull(),
  },
  (t) => [pg.check('reference_feed_state_one_row', sql`${t.isOnly}`)],
)
