import { index, pgTable, uuid } from 'drizzle-orm/pg-core'
import { ofMeter } from '~/store/access/schema.ts'
import { ofAccount } from '~/store/schema.ts'

/**
 * The streams that are open, each in a process that is alive as long as its meter is. Transient, so
 * a restored backup begins without any.
 */
export const openStreams = pgTable(
  'open_streams',
  {
    id: uuid('id').primaryKey(),
    accountId: ofAccount(),
    meterId: ofMeter(),
  },
  (t) => [index('open_streams_account').on(t.accountId), index('open_streams_meter').on(t.meterId)],
)
