import { getTableColumns } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { observations, saidColumns } from '~/store/schema.ts'

const bigintRange = pg.customType<{ data: string }>({ dataType: () => 'int8range' })

/**
 * Months whose observations are in blocks, or are being moved there. A service reads blocks once it
 * knows of the month, which is before the first block is created.
 */
export const archivedMonths = pg.pgTable('archived_months', {
  month: instant('month').primaryKey(),
  announcedAt: instant('announced_at').notNull().defaultNow(),
  /** The time when the space of the moved rows was freed; null until then. */
  compactedAt: instant('compacted_at'),
})

/** An array for each column of `observations` but the corridor. */
function arraysOfColumns() {
  const { corridorId: _, ...said } = saidColumns()
  const columns = { id: pg.bigint('id', { mode: 'number' }), ...said }
  const own: Readonly<Record<string, pg.PgColumn>> = getTableColumns(observations)
  return Object.fromEntries(
    Object.entries(columns).map(([key, column]) => {
      const values = column.array()
      return [key, own[key]!.notNull ? values.notNull() : values]
    }),
  )
}

/**
 * Observations of an archived month and a corridor, up to 500 in the order of time and id: each
 * column of `observations` is an array here, or null where all of its values are. Written by the
 * functions that archive alone.
 */
export const observationBlocks = pg.pgTable(
  'observation_blocks',
  {
    corridorId: pg.integer('corridor_id').notNull(),
    first: instant('first').notNull(),
    last: instant('last').notNull(),
    /** Orders the blocks of a corridor and month. */
    place: pg.integer('place').notNull(),
    ids: bigintRange('ids').notNull(),
    /** The least time at which a row was recorded. */
    recorded: instant('recorded').notNull(),
    ...arraysOfColumns(),
  },
  (t) => [
    pg.primaryKey({ name: 'observation_blocks_pkey', columns: [t.corridorId, t.first, t.place] }),
    pg.index('observation_blocks_ids').using('gist', t.ids),
  ],
)
