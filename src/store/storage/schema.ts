import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/** The backups that were completed, by a command or by a schedule. Not part of a backup. */
export const backups = pgTable(
  'backups',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** The time when the copy was complete. */
    at: instant('at').notNull(),
    /** Place of the backup: a path, an address, or `-` for standard output. */
    place: text('place').notNull(),
    rows: bigint('rows', { mode: 'number' }).notNull(),
  },
  (t) => [index('backups_at').on(t.at)],
)
