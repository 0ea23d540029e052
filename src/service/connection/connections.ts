import type { Key } from '~/domain/account.ts'
import { DAY_MS } from '~/domain/duration.ts'
import type {
  DescribedApplication,
  HeldConnection,
  KnownApplication,
  NewConnection,
} from '~/domain/person/connection.ts'
import type { Owner, OwnKeysDeps } from '~/service/own-keys.ts'

/** The maximum number of applications that an account may have connected at once. */
export const CONNECTIONS_MAX = 20

/** The maximum number of applications that may wait for their first person. */
const UNCONNECTED_MAX = 10_000

/** The time for which a document is believed, and for how long if it cannot be read again. */
const READ_AGAIN_MS = DAY_MS
const STALE_MS_MAX = 7 * DAY_MS

type ConnectionStore = {
  application(clientId: string): Promise<KnownApplication | null>
  /** Adds an application, or brings a known one up to date. */
  keepApplication(application: KnownApplication): Promise<void>
  /**
   * The id of a registered application that described itself in the same words, which then counts
   * as registered now; null if there is none. Such an application has no secret, so all of its
   * copies may share one id. https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1
   */
  registeredAlready(described: DescribedApplication, nowMs: number): Promise<string | null>
  /** Forgets unconnected applications except the newest `max`. */
  forgetUnconnected(max: number): Promise<void>
  /**
   * The key of the connection, whose person has consented: the existing one, or a new one that
   * replaces an ended one. Null if the account has `max` connections already.
   */
  connect(wish: NewConnection, max: number): Promise<{ key: Key; isNew: boolean } | null>
  /** Reports whether a person has connected an application, and not ended that. */
  isConnected(pair: { userId: string; clientId: string }): Promise<boolean>
  /** The connection of an access or refresh token by its hash; null for an unknown one. */
  heldBy(tokenHash: string): Promise<HeldConnection | null>
}

export type ConnectionDeps = Pick<OwnKeysDeps, 'keyStore' | 'notify' | 'published'> & {
  readonly connections: ConnectionStore
  readonly newConnectionHash: () => string
}

/** Connects an application that a person consented to; false if there are too many. */
export async function connect(
  deps: ConnectionDeps,
  { accountId, email, actor, nowMs }: Owner,
  { userId, application }: { userId: string; application: KnownApplication },
): Promise<boolean> {
  const { clientId, name } = application
  const wish = { accountId, userId, clientId, name, hash: deps.newConnectionHash(), actor }
  const connected = await deps.connections.connect(wish, CONNECTIONS_MAX)
  if (!connected) return false
  if (connected.isNew) deps.notify({ kind: 'connection', email, name, atMs: nowMs })
  await deps.published(accountId)
  return true
}

/** Ends the connection of a token, as its application requests; unknown tokens are ignored. */
export async function disconnect(
  deps: ConnectionDeps,
  { tokenHash, clientId }: { tokenHash: string; clientId: string },
  nowMs: number,
): Promise<void> {
  const held = await deps.connections.heldBy(tokenHash)
  if (!held || held.clientId !== clientId || held.isEnded) return
  const by = { actor: held.name, accountId: held.accountId }
  await deps.keyStore.revokeKey(held.keyId, nowMs, by)
  await deps.published(held.accountId)
}

/** Stores an application that registered, instead of the oldest if too many wait. */
export async function keepUnconnected(
  { connections }: Pick<ConnectionDeps, 'connections'>,
  clientId: string,
  { described, nowMs }: { described: DescribedApplication; nowMs: number },
): Promise<void> {
  await connections.keepApplication({ ...described, clientId, readMs: nowMs })
  await connections.forgetUnconnected(UNCONNECTED_MAX)
}

/**
 * An application that is described by a document at `address`, which is read at most once a day; a
 * document that cannot be read is believed for a week. Throws what `read` throws.
 */
export async function applicationByDocument(
  deps: Pick<ConnectionDeps, 'connections'>,
  address: string,
  { nowMs, read }: { nowMs: number; read: () => Promise<DescribedApplication> },
): Promise<KnownApplication> {
  const known = await deps.connections.application(address)
  const ageMs = known ? nowMs - known.readMs : Number.POSITIVE_INFINITY
  // A reading to come is from before a clock was turned back.
  if (known && Math.abs(ageMs) < READ_AGAIN_MS) return known
  try {
    const described = await read()
    await keepUnconnected(deps, address, { described, nowMs })
    return { ...described, clientId: address, readMs: nowMs }
  } catch (error) {
    if (known && ageMs < STALE_MS_MAX) return known
    throw error
  }
}
