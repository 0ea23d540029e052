import { customType, date, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/** A column of bytes. */
export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** The first edition of the file of each UTC day; never changed. */
export const dayFiles = pgTable('day_files', {
  day: date('day').primaryKey(),
  /** CSV, compressed by gzip. */
  content: bytes('content').notNull(),
  madeAt: instant('made_at').notNull().defaultNow(),
})

/** Later editions of the files of days, from 2 on, each made after a correction; never changed. */
export const dayFileEditions = pgTable(
  'day_file_editions',
  {
    day: date('day').notNull(),
    edition: integer('edition').notNull(),
    content: bytes('content').notNull(),
    madeAt: instant('made_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.day, t.edition] })],
)
