import * as pg from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { providerCorridors } from '~/store/schema.ts'

/**
 * Offers of providers in a corridor: one row for each combination of countries, ways of paying,
 * channel, amounts and service that was ever quoted. A provider's plain offer has no row, and the
 * id 0. Append-only.
 *
 * `corridor_id` repeats what `provider_corridor_id` implies; a trigger sets it for versions that do
 * not.
 */
export const offers = pg.pgTable(
  'offers',
  {
    id: pg.integer('id').notNull().generatedAlwaysAsIdentity(),
    providerCorridorId: pg.integer('provider_corridor_id').notNull(),
    /** The result of `offerKey`, by which an offer is found again. */
    key: pg.text('key').notNull(),
    sourceCountry: pg.text('source_country'),
    targetCountry: pg.text('target_country'),
    payIn: pg.text('pay_in').array(),
    payOut: pg.text('pay_out').array(),
    channel: pg.text('channel'),
    amountMin: pg.numeric('amount_min'),
    amountMax: pg.numeric('amount_max'),
    service: pg.text('service'),
    madeAt: instant('made_at').notNull().defaultNow(),
    corridorId: pg.integer('corridor_id').notNull(),
  },
  (t) => [
    pg.primaryKey({ name: 'offers_pkey', columns: [t.id, t.corridorId] }),
    pg.unique('offers_key').on(t.providerCorridorId, t.key, t.corridorId),
    pg.foreignKey({
      name: 'offers_provider_corridor',
      columns: [t.providerCorridorId, t.corridorId],
      foreignColumns: [providerCorridors.id, providerCorridors.corridorId],
    }),
  ],
)

/**
 * Observations that are valid for longer than `LONG_PRICE_DAYS`, written with them and deleted with
 * them: so a search for prices that expire reads only these and observations of that age.
 */
export const longPrices = pg.pgTable(
  'long_prices',
  {
    corridorId: pg.integer('corridor_id').notNull(),
    providerCorridorId: pg.integer('provider_corridor_id').notNull(),
    offerId: pg.integer('offer_id').notNull(),
    id: pg.bigint('id', { mode: 'number' }).notNull(),
    effectiveFrom: instant('effective_from').notNull(),
    validUntil: instant('valid_until').notNull(),
  },
  (t) => [
    pg.primaryKey({ name: 'long_prices_pkey', columns: [t.id, t.corridorId] }),
    pg.index('long_prices_end').on(t.corridorId, t.validUntil, t.effectiveFrom),
  ],
)
