import {
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { accounts } from '~/store/schema.ts'

/**
 * Processes that count usage, each in a slot of its own. Not part of a backup, since they are
 * transient.
 */
export const usageMeters = pgTable(
  'usage_meters',
  {
    id: uuid('id').primaryKey(),
    slot: smallint('slot').notNull(),
    /** From then on the process counts as dead, and its shares as free. */
    until: instant('until').notNull(),
  },
  (t) => [unique('usage_meters_slot').on(t.slot)],
)

/** Units that each process may spend of an account's day beyond everything counted in `usage`. */
export const usageShares = pgTable(
  'usage_shares',
  {
    day: date('day', { mode: 'string' }).notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    meterId: uuid('meter_id')
      .notNull()
      .references(() => usageMeters.id, { onDelete: 'cascade' }),
    units: integer('units').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.accountId, t.meterId] }),
    index('usage_shares_meter').on(t.meterId),
  ],
)
