import {
  bigint,
  customType,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { evidence, rateType } from '~/store/schema.ts'

const bigintRange = customType<{ data: string }>({ dataType: () => 'int8range' })

/**
 * Months whose observations are in blocks, or are being moved there. A service reads blocks once it
 * knows of the month, which is before the first of them is made.
 */
export const archivedMonths = pgTable('archived_months', {
  month: instant('month').primaryKey(),
  announcedAt: instant('announced_at').notNull().defaultNow(),
  /** When the space of the moved rows was given back; null until then. */
  compactedAt: instant('compacted_at'),
})

/**
 * Observations of an archived month and a corridor, up to 500 in the order of time and id: each
 * column of `observations` is an array here, or null where all of its values are. Written by the
 * functions that archive alone.
 */
export const observationBlocks = pgTable(
  'observation_blocks',
  {
    corridorId: integer('corridor_id').notNull(),
    /** Times of the first and the last row. */
    first: instant('first').notNull(),
    last: instant('last').notNull(),
    /** Orders the blocks of a corridor and month. */
    place: integer('place').notNull(),
    ids: bigintRange('ids').notNull(),
    /** The least time at which a row was recorded. */
    recorded: instant('recorded').notNull(),
    id: bigint('id', { mode: 'number' }).array().notNull(),
    effectiveFrom: instant('effective_from').array().notNull(),
    recordedAt: instant('recorded_at').array().notNull(),
    providerCorridorId: integer('provider_corridor_id').array().notNull(),
    rateType: rateType('rate_type').array().notNull(),
    rate: numeric('rate').array().notNull(),
    fee: numeric('fee').array(),
    feeCurrency: text('fee_currency').array(),
    notes: text('notes').array(),
    evidence: evidence('evidence').array(),
    offerId: integer('offer_id').array().notNull(),
    feePercent: numeric('fee_percent').array(),
    deliveryMin: integer('delivery_min').array(),
    deliveryMax: integer('delivery_max').array(),
    validUntil: instant('valid_until').array(),
    recordedBy: integer('recorded_by').array(),
    recordedVia: text('recorded_via').array(),
  },
  (t) => [
    primaryKey({ name: 'observation_blocks_pkey', columns: [t.corridorId, t.first, t.place] }),
    index('observation_blocks_ids').using('gist', t.ids),
  ],
)
