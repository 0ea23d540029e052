import * as pg from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

export const bytes = pg.customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** The first edition of the file of each UTC day, from versions before `files`. */
export const dayFiles = pg.pgTable('day_files', {
  day: pg.date('day').primaryKey(),
  /** CSV, compressed by gzip. */
  content: bytes('content').notNull(),
  madeAt: instant('made_at').notNull().defaultNow(),
})

/** Later editions of the files of days, from 2 on. */
export const dayFileEditions = pg.pgTable(
  'day_file_editions',
  {
    day: pg.date('day').notNull(),
    edition: pg.integer('edition').notNull(),
    content: bytes('content').notNull(),
    madeAt: instant('made_at').notNull().defaultNow(),
  },
  (t) => [pg.primaryKey({ columns: [t.day, t.edition] })],
)

/** The files of UTC days and months: CSV by gzip, and Parquet. An edition never changes. */
export const files = pg.pgTable(
  'files',
  {
    /** YYYY-MM-DD or YYYY-MM. */
    period: pg.text('period').notNull(),
    /** Edition 1 has what was known when the period had settled; later ones follow corrections. */
    edition: pg.integer('edition').notNull(),
    rows: pg.integer('rows').notNull(),
    bytes: pg.bigint('bytes', { mode: 'number' }).notNull(),
    /** SHA-256 of the whole file, in hex. */
    digest: pg.char('digest', { length: 64 }).notNull(),
    madeAt: instant('made_at').notNull().defaultNow(),
  },
  (t) => [pg.primaryKey({ columns: [t.period, t.edition] })],
)

/** The contents of `files`, in parts from 0 on. */
export const fileParts = pg.pgTable(
  'file_parts',
  {
    period: pg.text('period').notNull(),
    edition: pg.integer('edition').notNull(),
    part: pg.integer('part').notNull(),
    content: bytes('content').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.period, t.edition, t.part] })],
)
