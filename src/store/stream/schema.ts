import { index, pgTable, uuid } from 'drizzle-orm/pg-core'
import { usageMeters } from '~/store/access/schema.ts'
import { accounts } from '~/store/schema.ts'

/**
 * The streams that are open, each in a process that is alive as long as its meter is. Transient, so
 * a restored backup begins without any.
 */
export const openStreams = pgTable(
  'open_streams',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    meterId: uuid('meter_id')
      .notNull()
      .references(() => usageMeters.id, { onDelete: 'cascade' }),
  },
  (t) => [index('open_streams_account').on(t.accountId), index('open_streams_meter').on(t.meterId)],
)
