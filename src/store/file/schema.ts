import {
  bigint,
  char,
  customType,
  date,
  integer,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'

/** A column of bytes. */
export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** The first edition of the file of each UTC day, from versions before `files`. */
export const dayFiles = pgTable('day_files', {
  day: date('day').primaryKey(),
  /** CSV, compressed by gzip. */
  content: bytes('content').notNull(),
  madeAt: instant('made_at').notNull().defaultNow(),
})

/** Later editions of those files, from 2 on. */
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

/** The files of UTC days and months: CSV by gzip, and Parquet. An edition never changes. */
export const files = pgTable(
  'files',
  {
    /** YYYY-MM-DD or YYYY-MM. */
    period: text('period').notNull(),
    /** 1 is made of what was known when the period had settled; others follow corrections. */
    edition: integer('edition').notNull(),
    rows: integer('rows').notNull(),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    /** SHA-256 of the whole file, in hex. */
    digest: char('digest', { length: 64 }).notNull(),
    madeAt: instant('made_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.period, t.edition] })],
)

/** The contents of `files`, in parts from 0 on. */
export const fileParts = pgTable(
  'file_parts',
  {
    period: text('period').notNull(),
    edition: integer('edition').notNull(),
    part: integer('part').notNull(),
    content: bytes('content').notNull(),
  },
  (t) => [primaryKey({ columns: [t.period, t.edition, t.part] })],
)
