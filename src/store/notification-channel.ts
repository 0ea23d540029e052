import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database, Part, Sql, Tx } from './database.ts'
import { arrayLiteral, instantText, jsonIn } from './encoding.ts'
import { ownConnection } from './own-connection.ts'

export const NOTIFICATION_CHANNEL = 'corridor_news'

/** The most rows of one commit that the log of changes names. */
export const CHANGE_ROWS_MAX = 1000

/**
 * Position of a commit in the log of changes: null for one that changed the past alone, and absent
 * from versions that do not know the log.
 */
type Logged = { readonly position?: number | null }

/** A kind of commit that is in the log of changes. */
type LoggedKind = 'observations' | 'references' | 'catalogue'

/** Time alone changed what readers see, or an hour was opened. */
type TimeKind = 'tick' | 'hour'

/**
 * Content of a commit, or what wakes the followers of the log of changes. Their notifications also
 * name ids and times, for 1.0 and 2.0, which load everything without them.
 */
type Notification =
  | ({ readonly kind: LoggedKind } & Logged)
  | { readonly kind: TimeKind; readonly position: number }
  | { readonly kind: 'feeds' }
  | { readonly kind: 'access'; readonly accountId?: string }
  | { readonly kind: 'usage'; readonly accountIds: readonly string[] }
  | { readonly kind: 'alerts'; readonly accountId?: string }
  /** Deliveries of alerts are due. */
  | { readonly kind: 'deliveries' }
  /** No change, but a request to the processes that hold shares of these budgets to return them. */
  | { readonly kind: 'shares'; readonly accountIds: readonly string[] }
  /** No change: the `count`th check of the sender that its notifications reach itself. */
  | { readonly kind: 'pulse'; readonly count: number }

/** A change notification with the database handle's name, and so of the process that committed. */
export type ReceivedNotification = Notification & { readonly origin: string }

/** The longest payload that the server accepts; a longer one fails its transaction. */
export const NOTIFICATION_BYTES_MAX = 7_999

const origins = new WeakMap<object, string>()

/** The name under which this handle's commits are announced; random, fixed for its life. */
export const originOf = (database: Database): string =>
  origins.getOrInsertComputed(database, () => randomUUID())

/** The payload for `pg_notify`, delivered only if its transaction commits. */
export const notificationPayload = (database: Database, item: Notification): string =>
  JSON.stringify({ ...item, origin: originOf(database) })

/** Announces what a transaction changed, if it commits. */
export async function announce(database: Database, tx: Tx, item: Notification): Promise<void> {
  await tx.execute(
    sql`select pg_notify(${NOTIFICATION_CHANNEL}, ${notificationPayload(database, item)})`,
  )
}

/** The part of a statement that announces its changes. */
export const announced = (database: Database, item: Notification) =>
  database.sql`pg_notify(${NOTIFICATION_CHANNEL}, ${notificationPayload(database, item)})`

/**
 * Announces a commit after which every process loads everything, and logs it at the end of its
 * transaction with the ids of its rows, ascending; null if these are too many.
 */
export const loggedNotification = (
  database: Database,
  kind: LoggedKind,
  ids: readonly number[] | null = null,
) => database.sql`
  select pg_notify(${NOTIFICATION_CHANNEL}, (${notificationPayload(database, { kind })}::jsonb
    || jsonb_build_object('position', log_change(${kind},
      ${ids && arrayLiteral(ids)}::bigint[], null)))::text)`

type AddedRows = {
  /** A table or query with the ids of the new rows, and the times of observations. */
  readonly added: Part
  /** The writer's clock; null for the server's. */
  readonly atMs: number | null
  /** A further item of FROM, for work that has to be done by the time the log is locked. */
  readonly after?: Part
}

/**
 * Logs new rows and announces them as one range; selects their ids, in order and joined by commas,
 * their position in the log, and the one before it. Returns no row and logs nothing if there are
 * none.
 */
export const announcedIds = (
  database: Database,
  kind: 'observations' | 'references',
  { added, atMs, after = database.sql`` }: AddedRows,
) => {
  const { sql } = database
  const isTimed = kind === 'observations'
  const at = sql`${atMs === null ? null : instantText(atMs)}::timestamptz`
  return sql`
  select ids, position, position_before(position) as previous,
    pg_notify(${NOTIFICATION_CHANNEL}, json_build_object(
    'kind', ${kind}::text, 'firstId', first_id, 'lastId', last_id,
    ${isTimed ? windowOf(sql) : sql``}
    'origin', ${originOf(database)}::text, 'position', position)::text)
  from (select notification.*, case when listed is null
    then log_range_change(${kind}, first_id, last_id, ${at}, since, until)
    else log_change(${kind}, listed, ${at}, null, since, until) end as position
  from (
    select string_agg(id::text, ',' order by id) as ids, min(id) as first_id, max(id) as last_id,
      case when count(*) <= ${CHANGE_ROWS_MAX} then array_agg(id order by id) end as listed,
      ${isTimed ? timesOf(sql) : sql`null::timestamptz as since, null::timestamptz as until`}
    from ${added} having count(*) > 0
  ) notification ${after}) logged`
}

/** The place of a commit that was logged, in the words of the driver. */
export type LoggedRow = { readonly position: string; readonly previous: string }

export const placeOf = ({ position, previous }: LoggedRow, atMs: number | null) => ({
  position: Number(position),
  previous: Number(previous),
  ...(atMs !== null && { atMs }),
})

const timesOf = (sql: Sql) => sql`min(effective_from) as since, max(effective_from) as until`

/** The window of the times from `since` to `until`, as a field of a change notification. */
const windowOf = (sql: Sql) => sql`'window', json_build_object(
      'fromMs', (extract(epoch from since) * 1000)::bigint,
      'beforeMs', (extract(epoch from until) * 1000)::bigint + 1),`

/** The change notification in a payload, or null if the payload is not one of ours. */
export function notificationOf(payload: string): ReceivedNotification | null {
  if (payload.length > NOTIFICATION_BYTES_MAX) return null
  const value = jsonIn<unknown>(payload)
  if (typeof value !== 'object' || value === null) return null
  const { kind, origin, ...more } = value as Record<string, unknown>
  const { accountId, accountIds, count, position } = more
  if (typeof origin !== 'string') return null
  const logged = position === null || isId(position) ? { position } : {}
  switch (kind) {
    case 'observations':
    case 'references':
    case 'catalogue':
      return { kind, origin, ...logged }
    case 'feeds':
    case 'deliveries':
      return { kind, origin }
    case 'tick':
    case 'hour':
      return isId(position) ? { kind, origin, position } : null
    case 'pulse':
      return isId(count) ? { kind, origin, count } : null
    case 'access':
    case 'alerts':
      if (accountId === undefined) return { kind, origin }
      return typeof accountId === 'string' ? { kind, origin, accountId } : null
    case 'usage':
    case 'shares':
      return isTexts(accountIds) ? { kind, origin, accountIds } : null
    default:
      return null
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isId = (value: unknown): value is number => Number.isSafeInteger(value)

export type Listening = {
  /**
   * Sends a pulse, which reaches `onNotification` after everything committed before it, if the
   * connection works. Returns its count, greater than that of any pulse before.
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
export async function listenForNotifications(
  database: Database,
  listener: { onNotification(notification: ReceivedNotification): void; onConnect(): void },
): Promise<Listening> {
  let current: Sql | null = null
  let pulses = 0
  const end = (client: Sql | null) => client?.end({ timeout: 0 }).catch(() => {})
  const open = async () => {
    const client = ownConnection(database.sql)
    void end(current)
    current = client
    await client.listen(
      NOTIFICATION_CHANNEL,
      (payload) => {
        const notification = client === current ? notificationOf(payload) : null
        if (notification) listener.onNotification(notification)
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
