import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { CURRENCY_KINDS, CURRENCY_TYPES } from '~/domain/currency.ts'
import { EVIDENCE } from '~/domain/price/evidence.ts'
import { PROVIDER_TYPES, RATE_TYPES } from '~/domain/provider.ts'
import { PLANS, ROLES } from '~/domain/quota.ts'
import { instant, moment } from './instant-column.ts'

export const currencyType = pg.pgEnum('currency_type', CURRENCY_TYPES)
export const currencyKind = pg.pgEnum('currency_kind', CURRENCY_KINDS)
export const providerType = pg.pgEnum('provider_type', PROVIDER_TYPES)
export const rateType = pg.pgEnum('rate_type', RATE_TYPES)
export const evidence = pg.pgEnum('evidence', EVIDENCE)
export const plan = pg.pgEnum('plan', PLANS)
export const role = pg.pgEnum('role', ROLES)

export const currencies = pg.pgTable(
  'currencies',
  {
    code: pg.text('code').primaryKey(),
    name: pg.text('name').notNull(),
    type: currencyType('type').notNull(),
    kind: currencyKind('kind').notNull(),
    flagUrl: pg.text('flag_url'),
    minorUnits: pg.smallint('minor_units'),
    isActive: pg.boolean('is_active').notNull(),
    sortOrder: pg.integer('sort_order').notNull(),
    /** The currency it is pegged to, at `peg_rate` units for one of that. */
    pegTo: pg.text('peg_to'),
    pegRate: pg.numeric('peg_rate'),
  },
  (t) => [
    pg.check('currencies_peg', sql`(${t.pegTo} is null) = (${t.pegRate} is null)`),
    pg.check('currencies_peg_rate', sql`${t.pegRate} > 0`),
  ],
)

export const providers = pg.pgTable('providers', {
  id: pg.text('id').primaryKey(),
  name: pg.text('name').notNull(),
  logoUrl: pg.text('logo_url'),
  websiteUrl: pg.text('website_url'),
  providerType: providerType('provider_type'),
  rateType: rateType('rate_type').notNull(),
  region: pg.text('region'),
  timeZone: pg.text('time_zone'),
  transferTime: pg.text('transfer_time'),
  paymentMethods: pg.text('payment_methods').array(),
  isActive: pg.boolean('is_active').notNull(),
})

/**
 * The time when a provider was switched on or off; append-only. A trigger writes it, whatever
 * program changes the provider. Before its first change a provider was in the opposite state, and
 * one that never changed has always been in its present state.
 */
export const providerActivity = pg.pgTable(
  'provider_activity',
  {
    id: pg.integer('id').primaryKey().generatedAlwaysAsIdentity(),
    providerId: ofProvider(),
    isActive: pg.boolean('is_active').notNull(),
    since: instant('since').notNull(),
  },
  (t) => [pg.index('provider_activity_since').on(t.providerId, t.since, t.id)],
)

/** The time when a currency was switched on or off, recorded like `provider_activity`. */
export const currencyActivity = pg.pgTable(
  'currency_activity',
  {
    id: pg.integer('id').primaryKey().generatedAlwaysAsIdentity(),
    currency: ofCurrency('currency'),
    isActive: pg.boolean('is_active').notNull(),
    since: instant('since').notNull(),
  },
  (t) => [pg.index('currency_activity_since').on(t.currency, t.since, t.id)],
)

export const corridors = pg.pgTable(
  'corridors',
  {
    id: pg.integer('id').primaryKey().generatedAlwaysAsIdentity(),
    source: ofCurrency('source'),
    target: ofCurrency('target'),
  },
  (t) => [pg.unique('corridors_pair').on(t.source, t.target)],
)

/** Every pair of provider and corridor ever quoted, so that loading can probe each series. */
export const providerCorridors = pg.pgTable(
  'provider_corridors',
  {
    id: pg.integer('id').primaryKey().generatedAlwaysAsIdentity(),
    corridorId: pg
      .integer('corridor_id')
      .notNull()
      .references(() => corridors.id),
    providerId: ofProvider(),
  },
  (t) => [
    pg.unique('provider_corridors_pair').on(t.corridorId, t.providerId),
    pg.unique('provider_corridors_with_corridor').on(t.id, t.corridorId),
  ],
)

/** A time as the coordinate of a point, whatever the session's time zone. */
const coordinate = (moment: pg.AnyPgColumn) =>
  sql`(extract(epoch from ${moment} at time zone 'UTC') * 1000)::float8`

/** Columns of an observation and its recorder; `withdrawals` has the same. */
export const saidColumns = () => ({
  effectiveFrom: instant('effective_from').notNull(),
  recordedAt: instant('recorded_at').notNull().defaultNow(),
  corridorId: pg.integer('corridor_id').notNull(),
  providerCorridorId: pg.integer('provider_corridor_id').notNull(),
  rateType: rateType('rate_type').notNull(),
  rate: pg.numeric('rate').notNull(),
  fee: pg.numeric('fee'),
  feeCurrency: pg.text('fee_currency'),
  notes: pg.text('notes'),
  /** Null for observed prices, so that most rows need no room for it. */
  evidence: evidence('evidence'),
  /**
   * The row of `offers`, or 0 for the plain offer. A trigger checks it, as a foreign key would have
   * to look for the 0 of every plain row.
   */
  offerId: pg.integer('offer_id').notNull().default(0),
  /** Charged on top of the fee, in percent of the amount sent. */
  feePercent: pg.numeric('fee_percent'),
  /** Seconds. */
  deliveryMin: pg.integer('delivery_min'),
  deliveryMax: pg.integer('delivery_max'),
  /** The last time at which it is live; null for ever. */
  validUntil: instant('valid_until'),
  /** The row of `recorders`; null if no account recorded it or the account is unknown. */
  recordedBy: pg.integer('recorded_by'),
  /** By which way it came; null for rows from before this was recorded. */
  recordedVia: pg.text('recorded_via'),
})

/**
 * Quotes as recorded, append-only: the migrations add triggers that refuse UPDATE, DELETE and
 * TRUNCATE. Only the functions that prune delete rows, and only those older than a year; and
 * `withdraw_observations` moves rows, whole, to `withdrawals`.
 *
 * `corridor_id` repeats what `provider_corridor_id` implies, so that a corridor's history is one
 * index range; the composite key keeps the two from ever disagreeing.
 *
 * The migrations divide the table by months of `effective_from`, which the primary key has to hold
 * therefore; the parts are in the schema `observation_months`. A row that is looked for by its id
 * is looked for in every part unless its `effective_from` is given too.
 */
export const observations = pg.pgTable(
  'observations',
  {
    id: pg.bigint('id', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    ...saidColumns(),
  },
  (t) => [
    pg.primaryKey({ name: 'observations_pkey', columns: [t.id, t.corridorId, t.effectiveFrom] }),
    pg.foreignKey({
      name: 'observations_provider_corridor',
      columns: [t.providerCorridorId, t.corridorId],
      foreignColumns: [providerCorridors.id, providerCorridors.corridorId],
    }),
    pg.index('observations_as_of').on(t.providerCorridorId, t.effectiveFrom, t.id),
    pg.index('observations_history').on(t.corridorId, t.effectiveFrom, t.id),
    pg
      .index('observations_endless')
      .on(t.providerCorridorId, t.offerId, t.effectiveFrom, t.id)
      .where(sql`${t.validUntil} is null`),
    pg
      .index('observations_ending')
      .on(t.providerCorridorId, t.offerId, t.effectiveFrom, t.id, t.validUntil)
      .where(sql`${t.validUntil} is not null`),
    pg
      .index('observations_end')
      .on(t.providerCorridorId, t.offerId, t.validUntil, t.effectiveFrom)
      .where(sql`${t.validUntil} is not null`),
    /** The time that each holds, as a line in a plane of corridors and times. */
    pg
      .index('observations_standing')
      .using(
        'gist',
        sql`box(
          point(${t.corridorId}::float8, ${coordinate(t.effectiveFrom)}),
          point(${t.corridorId}::float8, ${coordinate(t.validUntil)})
        )`,
      )
      .where(sql`${t.validUntil} is not null`),
  ],
)

export const accounts = pg.pgTable('accounts', {
  id: pg.uuid('id').primaryKey().defaultRandom(),
  email: pg.text('email').notNull().unique('accounts_email'),
  plan: plan('plan').notNull(),
  role: role('role').notNull(),
  createdMs: moment('created_at').notNull().default(sql`now()`),
  /** The only providers that the account may record prices of; null for no limit. */
  providers: pg.text('providers').array(),
})

/** Keys, stored by their SHA-256 and the last four characters of their checksum. */
export const keys = pg.pgTable(
  'keys',
  {
    id: pg.uuid('id').primaryKey().defaultRandom(),
    accountId: ofAccount(),
    name: pg.text('name').notNull(),
    hash: pg.char('hash', { length: 64 }).notNull().unique('keys_hash'),
    /** The end of the key, by which people recognise it; null for older keys. */
    lastFour: pg.text('last_four'),
    /** The units a day of a read-only key; null for a full key. */
    dailyBudget: pg.integer('daily_budget'),
    /** The web origins that alone may use a read-only key; null for any client. */
    origins: pg.text('origins').array(),
    createdMs: moment('created_at').notNull().default(sql`now()`),
    revokedMs: moment('revoked_at'),
  },
  (t) => [
    pg.index('keys_account').on(t.accountId),
    pg.check('keys_daily_budget', sql`${t.dailyBudget} > 0`),
    pg.check('keys_origins', sql`${t.dailyBudget} is not null or ${t.origins} is null`),
    pg.check('keys_last_four', sql`${t.lastFour} ~ '^[0-9A-Za-z]{4}$'`),
  ],
)

export const usage = pg.pgTable(
  'usage',
  {
    day: pg.date('day', { mode: 'string' }).notNull(),
    accountId: ofAccount(),
    keyId: pg
      .uuid('key_id')
      .notNull()
      .references(() => keys.id),
    requests: pg.integer('requests').notNull(),
  },
  (t) => [pg.primaryKey({ columns: [t.day, t.accountId, t.keyId] })],
)

/** A column that names an account. */
export function ofAccount() {
  return pg
    .uuid('account_id')
    .notNull()
    .references(() => accounts.id)
}

/** A column that names a currency. */
export function ofCurrency<N extends string>(name: N) {
  return pg
    .text(name)
    .notNull()
    .references(() => currencies.code)
}

function ofProvider() {
  return pg
    .text('provider_id')
    .notNull()
    .references(() => providers.id)
}
