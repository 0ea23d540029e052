import { randomUUID } from 'node:crypto'
import { and, desc, eq, inArray, isNull, lte, notExists, notLike, or, sql } from 'drizzle-orm'
import type { Key } from '~/domain/account.ts'
import { CONSENT_DAYS, consentEndMs, isConnection } from '~/domain/api-key.ts'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type {
  DescribedApplication,
  HeldConnection,
  KnownApplication,
  NewConnection,
} from '~/domain/person/connection.ts'
import { keyOf, lockAccount, revokeKey } from '~/store/access/key-store.ts'
import type { Database, Tx } from '~/store/database.ts'
import { announce } from '~/store/notification-channel.ts'
import { keys } from '~/store/schema.ts'
import { recordChange } from './audit-store.ts'
import {
  oauthAccessTokens,
  oauthClients,
  oauthConsents,
  oauthRefreshTokens,
} from './oauth-schema.ts'

/** The longest time for which an unconnected application is kept. */
const UNCONNECTED_MS_MAX = DAY_MS
/** The name in the audit log for the end of a connection by its age. */
const LAPSE_ACTOR = `${CONSENT_DAYS} days without consent`
/** The longest time that a consent may wait for its key, which follows at once. */
const KEYLESS_MS_MAX = HOUR_MS

/** Applications, and how people connected them; tokens and consents are written by better-auth. */
export function createConnectionStore(database: Database, scopes: readonly string[]) {
  const { db } = database
  return {
    application: (clientId: string) => applicationOf(database, scopes, clientId),
    keepApplication: (application: KnownApplication) =>
      keepApplication(database, scopes, application),
    async registeredAlready({ name, uri, redirectUris }: DescribedApplication, nowMs: number) {
      const now = new Date(nowMs)
      const isSame = and(
        eq(oauthClients.name, name),
        sql`${oauthClients.uri} is not distinct from ${uri}`,
        eq(oauthClients.redirectUris, [...redirectUris]),
        notLike(oauthClients.clientId, 'https:%'),
      )
      const [row] = await db
        .update(oauthClients)
        .set({ createdAt: now, updatedAt: now })
        .where(isSame)
        .returning({ clientId: oauthClients.clientId })
      return row?.clientId ?? null
    },
    async forgetUnconnected(max: number) {
      const beyond = db
        .select({ id: oauthClients.id })
        .from(oauthClients)
        .where(notExists(consentsOf(database)))
        .orderBy(desc(oauthClients.createdAt))
        .offset(max)
      await db.delete(oauthClients).where(inArray(oauthClients.id, beyond))
    },
    connect: (wish: NewConnection, max: number) => connect(database, wish, max),
    async isConnected({ userId, clientId }: Pick<NewConnection, 'userId' | 'clientId'>) {
      const [row] = await db
        .select({ one: sql`1` })
        .from(oauthConsents)
        .innerJoin(keys, eq(keys.id, oauthConsents.keyId))
        .where(and(isPair({ userId, clientId }), isNull(keys.revokedMs)))
      return row !== undefined
    },
    heldBy: (tokenHash: string) => heldBy(database, tokenHash),
    /** The grant of an access token in use; null for any other token. */
    accessOf: (tokenHash: string) => accessOf(database, tokenHash),
    prune: (nowMs: number) => prune(database, nowMs),
  }
}

type Tokens = typeof oauthAccessTokens | typeof oauthRefreshTokens

const samePair = (tokens: Tokens) =>
  and(eq(oauthConsents.clientId, tokens.clientId), eq(oauthConsents.userId, tokens.userId))

const isPair = ({ userId, clientId }: Pick<NewConnection, 'userId' | 'clientId'>) =>
  and(eq(oauthConsents.userId, userId), eq(oauthConsents.clientId, clientId))

const consentsOf = ({ db }: Database) =>
  db
    .select({ one: sql`1` })
    .from(oauthConsents)
    .where(eq(oauthConsents.clientId, oauthClients.clientId))

async function applicationOf({ db }: Database, scopes: readonly string[], clientId: string) {
  const isIt = eq(oauthClients.clientId, clientId)
  const [row] = await db.select().from(oauthClients).where(isIt)
  if (!row) return null
  const { name, uri, redirectUris, updatedAt } = row
  // An application registered with an earlier version may get scopes that were unknown to it.
  if (scopes.some((one) => !row.scopes.includes(one)))
    await db
      .update(oauthClients)
      .set({ scopes: [...scopes] })
      .where(isIt)
  return { clientId, name, uri, redirectUris, readMs: updatedAt.getTime() }
}

async function keepApplication(
  { db }: Database,
  scopes: readonly string[],
  { clientId, name, uri, redirectUris, readMs }: KnownApplication,
): Promise<void> {
  const readAt = new Date(readMs)
  const described = { name, uri, redirectUris: [...redirectUris], updatedAt: readAt }
  await db
    .insert(oauthClients)
    .values({
      ...{ id: randomUUID(), clientId, ...described, createdAt: readAt },
      ...{ grantTypes: ['authorization_code', 'refresh_token'], responseTypes: ['code'] },
      scopes: [...scopes],
    })
    .onConflictDoUpdate({ target: oauthClients.clientId, set: described })
}

async function accessOf({ db }: Database, tokenHash: string) {
  const [row] = await db
    .select({
      key: keys,
      expiresAt: oauthAccessTokens.expiresAt,
      scopes: oauthAccessTokens.scopes,
      consentedAt: oauthConsents.updatedAt,
    })
    .from(oauthAccessTokens)
    .innerJoin(oauthConsents, samePair(oauthAccessTokens))
    .innerJoin(keys, eq(keys.id, oauthConsents.keyId))
    .where(and(eq(oauthAccessTokens.token, tokenHash), isNull(oauthAccessTokens.revoked)))
  if (!row) return null
  const { hash, accountId } = row.key
  const expiresMs = Math.min(row.expiresAt.getTime(), consentEndMs(row.consentedAt.getTime()))
  return { keyHash: hash, accountId, expiresMs, scopes: row.scopes }
}

async function heldBy({ sql: query }: Database, tokenHash: string): Promise<HeldConnection | null> {
  const [held] = await query<HeldConnection[]>`
    select k.id as "keyId", k.account_id as "accountId", t.client_id as "clientId",
      k.name, k.revoked_at is not null as "isEnded",
      (extract(epoch from c.updated_at) * 1000)::float8 as "consentedMs"
    from (
      select client_id, user_id from oauth_access_tokens where token = ${tokenHash}
      union all select client_id, user_id from oauth_refresh_tokens where token = ${tokenHash}
    ) t
    join oauth_consents c using (client_id, user_id)
    join keys k on k.id = c.key_id`
  return held ?? null
}

function connect(
  database: Database,
  wish: NewConnection,
  max: number,
): Promise<{ key: Key; isNew: boolean } | null> {
  const { accountId, userId, clientId, name, hash, actor } = wish
  return database.db.transaction(async (tx) => {
    await lockAccount(tx, accountId)
    const isThis = isPair(wish)
    const [consent] = await tx.select().from(oauthConsents).where(isThis).for('update')
    if (!consent) throw new Error('the person to connect has not consented')
    const own = await tx.select().from(keys).where(eq(keys.accountId, accountId))
    const inUse = own.filter((key) => isConnection(key) && key.revokedMs === null)
    const known = inUse.find(({ id }) => id === consent.keyId)
    if (known) return { key: keyOf(known), isNew: false }
    if (inUse.length >= max) {
      await tx.delete(oauthConsents).where(isThis)
      return null
    }
    await endTokens(tx, { userId, clientId })
    const [row] = await tx.insert(keys).values({ accountId, name, hash }).returning()
    await tx.update(oauthConsents).set({ keyId: row!.id }).where(isThis)
    await recordChange(tx, {
      ...{ actor, action: 'key created', accountId, subject: name },
      ...{ before: null, after: { key_id: row!.id, application: clientId } },
    })
    await announce(database, tx, { kind: 'access', accountId })
    return { key: keyOf(row!), isNew: true }
  })
}

/** Ends the tokens of an earlier connection of the application, so that it cannot be revived. */
async function endTokens(
  tx: Tx,
  { userId, clientId }: Pick<NewConnection, 'userId' | 'clientId'>,
): Promise<void> {
  for (const tokens of [oauthAccessTokens, oauthRefreshTokens])
    await tx.delete(tokens).where(and(eq(tokens.userId, userId), eq(tokens.clientId, clientId)))
}

/** Ends the connections whose consent is too old: nothing can be renewed through them any more. */
async function endLapsed(database: Database, nowMs: number): Promise<void> {
  const lapsed = await database.db
    .select({ id: keys.id })
    .from(oauthConsents)
    .innerJoin(keys, eq(keys.id, oauthConsents.keyId))
    .where(
      and(
        isNull(keys.revokedMs),
        lte(oauthConsents.updatedAt, new Date(nowMs - CONSENT_DAYS * DAY_MS)),
      ),
    )
  for (const { id } of lapsed) await revokeKey(database, id, { nowMs, actor: LAPSE_ACTOR })
}

/** Deletes what expired or ended, and unconnected applications. */
async function prune(database: Database, nowMs: number): Promise<void> {
  const { db } = database
  const now = new Date(nowMs)
  const isKeyless = and(
    isNull(oauthConsents.keyId),
    lte(oauthConsents.updatedAt, new Date(nowMs - KEYLESS_MS_MAX)),
  )
  const ended = db
    .select({ id: oauthConsents.id })
    .from(oauthConsents)
    .leftJoin(keys, eq(keys.id, oauthConsents.keyId))
    .where(or(lte(keys.revokedMs, nowMs), isKeyless))
  await endLapsed(database, nowMs)
  await db.delete(oauthAccessTokens).where(lte(oauthAccessTokens.expiresAt, now))
  await db.delete(oauthRefreshTokens).where(lte(oauthRefreshTokens.expiresAt, now))
  await db.delete(oauthConsents).where(inArray(oauthConsents.id, ended))
  for (const tokens of [oauthAccessTokens, oauthRefreshTokens])
    await db
      .delete(tokens)
      .where(notExists(db.select({ one: sql`1` }).from(oauthConsents).where(samePair(tokens))))
  const isOld = lte(oauthClients.createdAt, new Date(nowMs - UNCONNECTED_MS_MAX))
  await db.delete(oauthClients).where(and(isOld, notExists(consentsOf(database))))
}
