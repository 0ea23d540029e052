import * as pg from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { ofAccount } from '~/store/schema.ts'

/** Processes that count usage, each in a slot; transient, so not part of a backup. */
export const usageMeters = pg.pgTable(
  'usage_meters',
  {
    id: pg.uuid('id').primaryKey(),
    slot: pg.smallint('slot').notNull(),
    /** Time from which the process counts as dead, and its shares as free. */
    until: instant('until').notNull(),
  },
  (t) => [pg.unique('usage_meters_slot').on(t.slot)],
)

/** Units that each process may spend of an account's day beyond everything counted in `usage`. */
export const usageShares = pg.pgTable(
  'usage_shares',
  {
    day: pg.date('day', { mode: 'string' }).notNull(),
    accountId: ofAccount(),
    meterId: ofMeter(),
    units: pg.integer('units').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.day, t.accountId, t.meterId] }),
    pg.index('usage_shares_meter').on(t.meterId),
  ],
)

/** A column that names a process that counts usage, and whose row goes with it. */
export function ofMeter() {
  return pg
    .uuid('meter_id')
    .notNull()
    .references(() => usageMeters.id, { onDelete: 'cascade' })
}
