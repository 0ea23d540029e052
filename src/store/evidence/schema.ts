import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
} from 'drizzle-orm/pg-core'
import { bytes } from '~/store/file/schema.ts'
import { instant } from '~/store/instant-column.ts'

const bigintRange = customType<{ data: string }>({ dataType: () => 'int8range' })

/** State of the verifiable log: one row, from the first seal on. */
export const logState = pgTable(
  'log_state',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    /** The name under which the log is signed. */
    origin: text('origin').notNull(),
    /** The number of origins there have been. */
    origins: integer('origins').notNull(),
    /** The number of leaves that are sealed. */
    size: bigint('size', { mode: 'number' }).notNull(),
    /** The position of the last sealed change in the log of changes. */
    position: bigint('position', { mode: 'number' }).notNull(),
    /** Ranges of rows that still have to be sealed, in order. */
    backlog: jsonb('backlog').notNull(),
    /** The server, the database and the table in which it was sealed last. */
    server: text('server').notNull(),
  },
  (t) => [check('log_state_one_row', sql`${t.isOnly}`)],
)

/** Tiles of the tree. The last one of a level grows; a full one never changes. */
export const logTiles = pgTable(
  'log_tiles',
  {
    level: smallint('level').notNull(),
    index: bigint('index', { mode: 'number' }).notNull(),
    hashes: bytes('hashes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.level, t.index] })],
)

/** The rows behind the leaves of each tile of level 0, in their order. */
export const logLeaves = pgTable('log_leaves', {
  index: bigint('index', { mode: 'number' }).primaryKey(),
  /** The kind and the id of each row, in one number. */
  keys: bigint('keys', { mode: 'number' }).array().notNull(),
  /** The salt of each leaf, one after the other. */
  salts: bytes('salts').notNull(),
  /** The least `effective_from` of its observations, by which pruned rows are known. */
  oldest: instant('oldest'),
})

/** Places of rows in `log_leaves`: each of these ranges holds some keys of one tile. */
export const logSpans = pgTable(
  'log_spans',
  {
    index: bigint('index', { mode: 'number' }).notNull(),
    keys: bigintRange('keys').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.index, t.keys] }),
    index('log_spans_keys').using('gist', t.keys),
  ],
)

/** The newest checkpoints, each with the signatures that it has. */
export const logCheckpoints = pgTable(
  'log_checkpoints',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    size: bigint('size', { mode: 'number' }).notNull(),
    sealedAt: instant('sealed_at').notNull(),
    note: text('note').notNull(),
  },
  (t) => [index('log_checkpoints_sealed').on(t.sealedAt), index('log_checkpoints_size').on(t.size)],
)

/** The keys that sign the log, encrypted; all that are not retired sign. */
export const logKeys = pgTable('log_keys', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  sealed: text('sealed').notNull(),
  madeAt: instant('made_at').notNull().defaultNow(),
  retiredAt: instant('retired_at'),
})
