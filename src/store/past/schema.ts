import { bigint, integer, numeric, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/**
 * The summary of a corridor's observations in one UTC hour, written in one transaction with them.
 *
 * Official and parallel prices are counted and never the best. Its corridors exist because the
 * observations' do, so there is no key to check.
 */
export const rollups = pgTable(
  'rollups',
  {
    corridorId: integer('corridor_id').notNull(),
    hour: instant('hour').notNull(),
    /** The highest executable rate; null without one. */
    bestRate: numeric('best_rate'),
    /**
     * The highest executable rate of a provider that was active at the time, if it differs from
     * `best_rate`: null if it does not, 0 if there is none.
     */
    countedBest: numeric('counted_best'),
    samples: integer('samples').notNull(),
    /** The number of samples whose observations have been pruned since. */
    pruned: integer('pruned').notNull().default(0),
    /** The time of the last commit that changed it; no row recorded in it bears a later one. */
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.corridorId, t.hour] })],
)

/** Deletions of observations for their age; append-only. */
export const prunings = pgTable('prunings', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  at: instant('at').notNull().defaultNow(),
  actor: text('actor').notNull(),
  /** Every observation that took effect later is still there. */
  before: instant('before').notNull(),
  observations: bigint('observations', { mode: 'number' }).notNull(),
})
