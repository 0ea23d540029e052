import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { accounts } from '~/store/schema.ts'

/** People with a confirmed address, or one to confirm. `account_id` is not better-auth's. */
export const portalUsers = pgTable(
  'portal_users',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    emailVerified: boolean('email_verified').notNull(),
    image: text('image'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** Says whether a password alone no longer signs the person in. */
    twoFactorEnabled: boolean('two_factor_enabled'),
    /** The language of the person's mails, by its code; null for people of earlier versions. */
    language: text('language'),
    /** Null until the address is confirmed. */
    accountId: uuid('account_id').references(() => accounts.id),
  },
  (t) => [
    unique('portal_users_email').on(t.email),
    unique('portal_users_account').on(t.accountId),
    check('portal_users_confirmed', sql`${t.accountId} is null or ${t.emailVerified}`),
  ],
)

/** Sessions; `updated_at` is when one was last used, to a minute. */
export const portalSessions = pgTable(
  'portal_sessions',
  {
    id: text('id').primaryKey(),
    token: text('token').notNull().unique('portal_sessions_token'),
    userId: text('user_id')
      .notNull()
      .references(() => portalUsers.id, { onDelete: 'cascade' }),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
  },
  (t) => [
    index('portal_sessions_user').on(t.userId),
    index('portal_sessions_expiry').on(t.expiresAt),
  ],
)

/** Passwords, as scrypt hashes; better-auth calls them accounts. */
export const portalCredentials = pgTable(
  'portal_credentials',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => portalUsers.id, { onDelete: 'cascade' }),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: instant('access_token_expires_at'),
    refreshTokenExpiresAt: instant('refresh_token_expires_at'),
    scope: text('scope'),
    password: text('password'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [index('portal_credentials_user').on(t.userId)],
)

/** Mailed links that are still valid; a new password ends those of its person. */
export const portalVerifications = pgTable(
  'portal_verifications',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    index('portal_verifications_identifier').on(t.identifier),
    index('portal_verifications_value').on(t.value),
    index('portal_verifications_expiry').on(t.expiresAt),
  ],
)

/** The number of attempts in a window of time, counted for all replicas. */
export const portalAttempts = pgTable(
  'portal_attempts',
  {
    scope: text('scope').notNull(),
    endsAt: instant('ends_at').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.endsAt] }), index('portal_attempts_end').on(t.endsAt)],
)

/** The secret that signs sessions, if no setting gives one: one row. */
export const portalSecret = pgTable(
  'portal_secret',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    secret: text('secret').notNull(),
  },
  (t) => [check('portal_secret_one_row', sql`${t.isOnly}`)],
)

/**
 * Changes of accounts and keys, each with the person who made it; append-only by the triggers that
 * guard observations. Only the function `forget_account` changes it: where an address stood, the
 * account's id stands once the account is deleted.
 */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: instant('at').notNull().defaultNow(),
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    /** The account that was changed, or whose key was changed. */
    accountId: uuid('account_id').notNull(),
    subject: text('subject').notNull(),
    before: jsonb('before'),
    after: jsonb('after'),
  },
  (t) => [index('audit_log_account').on(t.accountId, t.id)],
)
