import { boolean, index, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { instant } from '~/store/instant-column.ts'
import { keys } from '~/store/schema.ts'
import { ofUser, portalSessions } from './schema.ts'

/**
 * Applications that may ask people to be connected: registered ones, and those whose `client_id` is
 * the address of the document that describes them.
 */
export const oauthClients = pgTable(
  'oauth_clients',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id').notNull(),
    disabled: boolean('disabled').notNull().default(false),
    name: text('name').notNull(),
    uri: text('uri'),
    redirectUris: text('redirect_uris').array().notNull(),
    tokenEndpointAuthMethod: text('token_endpoint_auth_method').notNull().default('none'),
    grantTypes: text('grant_types').array().notNull(),
    responseTypes: text('response_types').array().notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull(),
    /** The time when the document of the application was last read. */
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    unique('oauth_clients_client_id').on(t.clientId),
    index('oauth_clients_created').on(t.createdAt),
    index('oauth_clients_name').on(t.name),
  ],
)

/** The applications that a person connected; all columns except `key_id` belong to better-auth. */
export const oauthConsents = pgTable(
  'oauth_consents',
  {
    id: text('id').primaryKey(),
    clientId: ofClient(),
    userId: ofUser(),
    referenceId: text('reference_id'),
    resources: text('resources').array(),
    requestedUserInfoClaims: text('requested_user_info_claims').array(),
    scopes: text('scopes').array().notNull(),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** The key of the connection; a connection ends with its key. */
    keyId: uuid('key_id').references(() => keys.id),
  },
  (t) => [
    unique('oauth_consents_pair').on(t.userId, t.clientId),
    index('oauth_consents_client').on(t.clientId),
    index('oauth_consents_key').on(t.keyId),
  ],
)

/** Tokens by which applications renew their access, as hashes. */
export const oauthRefreshTokens = pgTable(
  'oauth_refresh_tokens',
  {
    id: text('id').primaryKey(),
    ...tokenColumns(),
    rotatedAt: instant('rotated_at'),
    rotationReplayResponse: text('rotation_replay_response'),
    rotationReplayExpiresAt: instant('rotation_replay_expires_at'),
    authTime: instant('auth_time'),
  },
  (t) => [
    unique('oauth_refresh_tokens_token').on(t.token),
    index('oauth_refresh_tokens_pair').on(t.userId, t.clientId),
    index('oauth_refresh_tokens_client').on(t.clientId),
    index('oauth_refresh_tokens_session').on(t.sessionId),
    index('oauth_refresh_tokens_code').on(t.authorizationCodeId),
    index('oauth_refresh_tokens_expiry').on(t.expiresAt),
  ],
)

/** Access tokens of connected applications, as hashes. */
export const oauthAccessTokens = pgTable(
  'oauth_access_tokens',
  {
    id: text('id').primaryKey(),
    ...tokenColumns(),
    refreshId: text('refresh_id').references(() => oauthRefreshTokens.id, { onDelete: 'cascade' }),
  },
  (t) => [
    unique('oauth_access_tokens_token').on(t.token),
    index('oauth_access_tokens_pair').on(t.userId, t.clientId),
    index('oauth_access_tokens_client').on(t.clientId),
    index('oauth_access_tokens_session').on(t.sessionId),
    index('oauth_access_tokens_refresh').on(t.refreshId),
    index('oauth_access_tokens_code').on(t.authorizationCodeId),
    index('oauth_access_tokens_expiry').on(t.expiresAt),
  ],
)

function tokenColumns() {
  return {
    token: text('token').notNull(),
    clientId: ofClient(),
    sessionId: text('session_id').references(() => portalSessions.id, { onDelete: 'set null' }),
    userId: ofUser(),
    referenceId: text('reference_id'),
    authorizationCodeId: text('authorization_code_id'),
    resources: text('resources').array(),
    requestedUserInfoClaims: text('requested_user_info_claims').array(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    revoked: instant('revoked'),
    confirmation: jsonb('confirmation'),
    scopes: text('scopes').array().notNull(),
  }
}

function ofClient() {
  return text('client_id')
    .notNull()
    .references(() => oauthClients.clientId, { onDelete: 'cascade' })
}
