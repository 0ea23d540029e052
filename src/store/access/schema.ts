import {
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from '~/store/schema.ts'

/** Processes that count usage, each in a slot of its own. No part of a backup: they are of now. */
export const usageMeters = pgTable(
  'usage_meters',
  {
    id: uuid('id').primaryKey(),
    slot: smallint('slot').notNull(),
    /** It is taken for dead from then on, and its shares for free. */
    until: timestamp('until', { precision: 3, withTimezone: true }).notNull(),
  },
  (t) => [unique('usage_meters_slot').on(t.slot)],
)

/** What each of them may spend of an account's day beyond all that is counted in `usage`. */
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
