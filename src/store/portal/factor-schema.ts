import { boolean, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { ofUser } from './schema.ts'

/** Authenticator apps, one a person, with the recovery codes; encrypted by better-auth. */
export const portalTwoFactors = pgTable(
  'portal_two_factors',
  {
    id: text('id').primaryKey(),
    userId: ofUser(),
    secret: text('secret').notNull(),
    backupCodes: text('backup_codes').notNull(),
    /** False until a code of the app was entered once. */
    verified: boolean('verified').notNull().default(true),
    failedVerificationCount: integer('failed_verification_count').notNull().default(0),
    lockedUntil: instant('locked_until'),
  },
  (t) => [unique('portal_two_factors_user').on(t.userId)],
)

/** Passkeys by their public keys, which are not secret. */
export const portalPasskeys = pgTable(
  'portal_passkeys',
  {
    id: text('id').primaryKey(),
    userId: ofUser(),
    name: text('name'),
    publicKey: text('public_key').notNull(),
    credentialID: text('credential_id').notNull(),
    counter: integer('counter').notNull(),
    deviceType: text('device_type').notNull(),
    backedUp: boolean('backed_up').notNull(),
    transports: text('transports'),
    createdAt: instant('created_at'),
    aaguid: text('aaguid'),
  },
  (t) => [
    unique('portal_passkeys_credential').on(t.credentialID),
    index('portal_passkeys_user').on(t.userId),
  ],
)
