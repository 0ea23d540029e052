import { sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { instant, moment } from '~/store/instant-column.ts'
import { accounts } from '~/store/schema.ts'

/** People with a confirmed address, or one to confirm. `account_id` is not better-auth's. */
export const portalUsers = pg.pgTable(
  'portal_users',
  {
    id: pg.text('id').primaryKey(),
    name: pg.text('name').notNull(),
    email: pg.text('email').notNull(),
    emailVerified: pg.boolean('email_verified').notNull(),
    image: pg.text('image'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** Says whether a password alone no longer signs the person in. */
    twoFactorEnabled: pg.boolean('two_factor_enabled'),
    /** The language of the person's emails, by its code; null for people of earlier versions. */
    language: pg.text('language'),
    /** Null until the address is confirmed. */
    accountId: pg.uuid('account_id').references(() => accounts.id),
  },
  (t) => [
    pg.unique('portal_users_email').on(t.email),
    pg.unique('portal_users_account').on(t.accountId),
    pg.check('portal_users_confirmed', sql`${t.accountId} is null or ${t.emailVerified}`),
  ],
)

/** Sessions; `updated_at` is when one was last used, to a minute. */
export const portalSessions = pg.pgTable(
  'portal_sessions',
  {
    id: pg.text('id').primaryKey(),
    token: pg.text('token').notNull().unique('portal_sessions_token'),
    userId: ofUser(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    ipAddress: pg.text('ip_address'),
    userAgent: pg.text('user_agent'),
  },
  (t) => [
    pg.index('portal_sessions_user').on(t.userId),
    pg.index('portal_sessions_expiry').on(t.expiresAt),
  ],
)

/** Passwords, as scrypt hashes; better-auth calls them accounts. */
export const portalCredentials = pg.pgTable(
  'portal_credentials',
  {
    id: pg.text('id').primaryKey(),
    accountId: pg.text('account_id').notNull(),
    providerId: pg.text('provider_id').notNull(),
    userId: ofUser(),
    accessToken: pg.text('access_token'),
    refreshToken: pg.text('refresh_token'),
    idToken: pg.text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: pg.text('scope'),
    password: pg.text('password'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [pg.index('portal_credentials_user').on(t.userId)],
)

/** Mailed links that are still valid; a new password ends those of its person. */
export const portalVerifications = pg.pgTable(
  'portal_verifications',
  {
    id: pg.text('id').primaryKey(),
    identifier: pg.text('identifier').notNull(),
    value: pg.text('value').notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    pg.index('portal_verifications_identifier').on(t.identifier),
    pg.index('portal_verifications_value').on(t.value),
    pg.index('portal_verifications_expiry').on(t.expiresAt),
  ],
)

/** The number of attempts in a window of time, counted for all replicas. */
export const portalAttempts = pg.pgTable(
  'portal_attempts',
  {
    scope: pg.text('scope').notNull(),
    endsAt: instant('ends_at').notNull(),
    count: pg.integer('count').notNull(),
  },
  (t) => [
    pg.primaryKey({ columns: [t.scope, t.endsAt] }),
    pg.index('portal_attempts_end').on(t.endsAt),
  ],
)

/** The secret that signs sessions, if no setting gives one: one row. */
export const portalSecret = pg.pgTable(
  'portal_secret',
  {
    isOnly: pg.boolean('is_only').primaryKey().default(true),
    secret: pg.text('secret').notNull(),
  },
  (t) => [pg.check('portal_secret_one_row', sql`${t.isOnly}`)],
)

/**
 * Changes of accounts and keys, each with the person who made it; append-only by the triggers that
 * guard observations. Only the function `forget_account` changes it: it replaces an address by the
 * account's id once the account is deleted.
 */
export const auditLog = pg.pgTable(
  'audit_log',
  {
    id: pg.bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    atMs: moment('at').notNull().default(sql`now()`),
    actor: pg.text('actor').notNull(),
    action: pg.text('action').notNull(),
    /** The account that was changed, or whose key was changed. */
    accountId: pg.uuid('account_id').notNull(),
    subject: pg.text('subject').notNull(),
    before: pg.jsonb('before'),
    after: pg.jsonb('after'),
  },
  (t) => [pg.index('audit_log_account').on(t.accountId, t.id)],
)

/** A column that names a person, and whose row goes with that person. */
export function ofUser() {
  return pg
    .text('user_id')
    .notNull()
    .references(() => portalUsers.id, { onDelete: 'cascade' })
}
