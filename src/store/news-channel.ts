import { randomUUID } from 'node:crypto'
import type { Database, Sql } from './database.ts'
import { ownConnection } from './own-connection.ts'

export const NEWS_CHANNEL = 'corridor_news'

/**
 * What a commit changed. Without ids or an account it was more than fits a message, so load all of
 * it.
 *
 * An id range covers all rows of its commit, and perhaps rows of others that committed meanwhile.
 */
type NewsItem =
  | { readonly kind: 'observations'; readonly firstId?: number; readonly lastId?: number }
  | { readonly kind: 'references'; readonly firstId?: number; readonly lastId?: number }
  | { readonly kind: 'catalogue' }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  /** Alerts of an account, or any, were made, changed or ended. */
  | { readonly kind: 'alerts'; readonly accountId?: string }
  /** There is something to tell of alerts. */
  | { readonly kind: 'deliveries' }
  /**
   * No change, but a request: the processes that hold shares of these budgets should return them.
   */
  | { readonly kind: 'shares'; readonly accountIds: readonly string[] }
  /** No change: the sender asks, for the `count`th time, whether it hears itself. */
  | { readonly kind: 'pulse'; readonly count: number }

/** News with the name of the database handle, and so of the process, that made the commit. */
export type HeardNews = NewsItem & { readonly origin: string }

/**
 * The longest payload that the server accepts; a longer one fails the transaction that it belongs
 * to.
 */
export const NEWS_BYTES_MAX = 7_999

const origins = new WeakMap<object, string>()

/**
 * The name under which commits made through this handle are announced; random, fixed for its life.
 */
export function originOf(database: Database): string {
  const known = origins.get(database)
  if (known) return known
  const origin = randomUUID()
  origins.set(database, origin)
  return origin
}

/**
 * The payload for `pg_notify(NEWS_CHANNEL, ...)`. Sent inside the transaction that it announces, it
 * is delivered only if that commits.
 */
export const newsPayload = (database: Database, item: NewsItem): string =>
  JSON.stringify({ ...item, origin: originOf(database) })

/** The part of a statement that announces what it changes. */
export const announced = (database: Database, item: NewsItem) =>
  database.sql`pg_notify(${NEWS_CHANNEL}, ${newsPayload(database, item)})`

/** The columns that give the ids of new rows, in order, and announce them as one range. */
export const announcedIds = (database: Database, kind: 'observations' | 'references') =>
  database.sql`string_agg(id::text, ',' order by id) as ids,
    pg_notify(${NEWS_CHANNEL}, json_build_object('kind', ${kind}::text, 'firstId', min(id),
      'lastId', max(id), 'origin', ${originOf(database)}::text)::text)`

/** The news in a payload, or null when the payload is not one of ours. */
export function newsOf(payload: string): HeardNews | null {
  if (payload.length > NEWS_BYTES_MAX) return null
  const value = parsed(payload)
  if (typeof value !== 'object' || value === null) return null
  const { kind, origin, ...more } = value as Record<string, unknown>
  const { firstId, lastId, accountId, accountIds, count } = more
  if (typeof origin !== 'string') return null
  switch (kind) {
    case 'catalogue':
    case 'feeds':
    case 'deliveries':
      return { kind, origin }
    case 'pulse':
      return isId(count) ? { kind, origin, count } : null
    case 'access':
    case 'alerts':
      if (accountId === undefined) return { kind, origin }
      return typeof accountId === 'string' ? { kind, origin, accountId } : null
    case 'usage':
    case 'shares':
      return isTexts(accountIds) ? { kind, origin, accountIds } : null
    case 'observations':
    case 'references':
      if (firstId === undefined && lastId === undefined) return { kind, origin }
      return isId(firstId) && isId(lastId) ? { kind, origin, firstId, lastId } : null
    default:
      return null
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isId = (value: unknown): value is number => Number.isSafeInteger(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export type Listening = {
  /**
   * Sends a pulse, which reaches `onNews` after everything committed before it, as long as the
   * connection is sound. Answers its count, greater than that of any pulse before.
   */
  pulse(): Promise<number>
  /** Replaces the connection, whatever state it is in; rejects when that fails. */
  reconnect(): Promise<void>
  stop(): void
}

/**
 * Reports every commit, our own included, over a connection of its own.
 *
 * `onConnect` runs at first and after every reconnection: announcements in between are lost, so
 * load everything then. Rejects when the first connection fails; one that is lost later is
 * replaced, however long that takes. A connection that dies silently shows by pulses that do not
 * come back. After `stop` neither callback is called again.
 */
export async function listenForNews(
  database: Database,
  listener: { onNews(news: HeardNews): void; onConnect(): void },
): Promise<Listening> {
  let current: Sql | null = null
  let pulses = 0
  const end = (client: Sql | null) => client?.end({ timeout: 0 }).catch(() => {})
  const open = async () => {
    const client = ownConnection(database.sql)
    void end(current)
    current = client
    await client.listen(
      NEWS_CHANNEL,
      (payload) => {
        const news = client === current ? newsOf(payload) : null
        if (news) listener.onNews(news)
      },
      () => {
        if (client === current) listener.onConnect()
      },
    )
  }
  const stop = () => {
    void end(current)
    current = null
  }
  await open().catch((error) => {
    stop()
    throw error
  })
  return {
    async pulse() {
      const count = ++pulses
      await database.sql`select ${announced(database, { kind: 'pulse', count })}`
      return count
    },
    reconnect: open,
    stop,
  }
}
