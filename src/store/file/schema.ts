import { customType, date, pgTable } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/** A column of bytes. */
export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** The file of each UTC day that was asked for, as it was first made; never changed. */
export const dayFiles = pgTable('day_files', {
  day: date('day').primaryKey(),
  /** CSV, compressed by gzip. */
  content: bytes('content').notNull(),
  madeAt: instant('made_at').notNull().defaultNow(),
})
