import {
  bigint,
  foreignKey,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { providerCorridors } from '~/store/schema.ts'

/**
 * Offers of providers in a corridor: one row for each combination of countries, ways of paying,
 * channel, amounts and service that was ever quoted. A provider's plain offer has no row, and the
 * id 0. Append-only.
 *
 * `corridor_id` repeats what `provider_corridor_id` implies; a trigger says it for versions that do
 * not.
 */
export const offers = pgTable(
  'offers',
  {
    id: integer('id').notNull().generatedAlwaysAsIdentity(),
    providerCorridorId: integer('provider_corridor_id').notNull(),
    /** The text of `offerKey`, by which an offer is found again. */
    key: text('key').notNull(),
    sourceCountry: text('source_country'),
    targetCountry: text('target_country'),
    payIn: text('pay_in').array(),
    payOut: text('pay_out').array(),
    channel: text('channel'),
    amountMin: numeric('amount_min'),
    amountMax: numeric('amount_max'),
    service: text('service'),
    madeAt: instant('made_at').notNull().defaultNow(),
    corridorId: integer('corridor_id').notNull(),
  },
  (t) => [
    primaryKey({ name: 'offers_pkey', columns: [t.id, t.corridorId] }),
    unique('offers_key').on(t.providerCorridorId, t.key, t.corridorId),
    foreignKey({
      name: 'offers_provider_corridor',
      columns: [t.providerCorridorId, t.corridorId],
      foreignColumns: [providerCorridors.id, providerCorridors.corridorId],
    }),
  ],
)

/**
 * Observations that are valid for longer than `LONG_PRICE_DAYS`, written with them and deleted with
 * them: so a search for prices that run out reads no older observations than that, and these.
 */
export const longPrices = pgTable(
  'long_prices',
  {
    corridorId: integer('corridor_id').notNull(),
    providerCorridorId: integer('provider_corridor_id').notNull(),
    offerId: integer('offer_id').notNull(),
    id: bigint('id', { mode: 'number' }).notNull(),
    effectiveFrom: instant('effective_from').notNull(),
    validUntil: instant('valid_until').notNull(),
  },
  (t) => [
    primaryKey({ name: 'long_prices_pkey', columns: [t.id, t.corridorId] }),
    index('long_prices_end').on(t.corridorId, t.validUntil, t.effectiveFrom),
  ],
)
