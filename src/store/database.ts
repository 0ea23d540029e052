import { setTimeout as delay } from 'node:timers/promises'
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { type Embedded, type EmbeddedOptions, openEmbedded } from '~/store/embedded/embedded.ts'
import { moveTo, placeOf, serverOf } from './server-address.ts'

const POSTGRES_MAJOR_MIN = 14

const CONNECTIONS_MAX = 10
const CONNECT_SECONDS_MAX = 10
const CLOSE_SECONDS_MAX = 3
const IDLE_SECONDS_MAX = 300
/** The pause between two attempts of one connection, however long the outage lasts. */
const RECONNECT_SECONDS = 0.5
const REVIVE_MS = 1_000
/** The longest silence of a service's connection: no statement takes as long. */
const SILENCE_SECONDS_MAX = 20
const INT8 = 20

/**
 * First statement of each connection. Compiling a statement takes a quarter of a second and more,
 * since its cost is counted over all months, and saves less than that even in the longest ones. A
 * statement, since proxies such as PgBouncer refuse it as a parameter of the start.
 */
export const SESSION = "select set_config('jit', 'off', false)"

/**
 * PostgreSQL's own types, each followed by that of its arrays: their numbers never change, and a
 * connection that asks for them waits for it and takes half as long again of the server's time.
 */
export const ARRAY_TYPES = [
  16, 1000, 17, 1001, 18, 1002, 19, 1003, 20, 1016, 21, 1005, 22, 1006, 23, 1007, 24, 1008, 25,
  1009, 26, 1028, 27, 1010, 28, 1011, 29, 1012, 30, 1013, 114, 199, 142, 143, 600, 1017, 601, 1018,
  602, 1019, 603, 1020, 604, 1027, 628, 629, 650, 651, 700, 1021, 701, 1022, 718, 719, 774, 775,
  790, 791, 829, 1040, 869, 1041, 1033, 1034, 1042, 1014, 1043, 1015, 1082, 1182, 1083, 1183, 1114,
  1115, 1184, 1185, 1186, 1187, 1266, 1270, 1560, 1561, 1562, 1563, 1700, 1231, 1790, 2201, 2202,
  2207, 2203, 2208, 2204, 2209, 2205, 2210, 2206, 2211, 2950, 2951, 2970, 2949, 3220, 3221, 3614,
  3643, 3615, 3645, 3642, 3644, 3734, 3735, 3769, 3770, 3802, 3807, 4072, 4073, 4089, 4090, 4096,
  4097, 4191, 4192, 5038, 5039, 5069, 271,
] as const

export type Sql = postgres.Sql
export type TransactionSql = postgres.TransactionSql
/** A part of a SQL statement. */
export type Part = postgres.PendingQuery<postgres.Row[]>
export type Db = PostgresJsDatabase
/** The transaction that `db.transaction` passes on. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0]

export type ConnectOptions = {
  connectionsMax?: number | undefined
  /** Seconds after which an unused connection is closed; null keeps it. */
  idleSeconds?: number | null | undefined
  /** Seconds after which a connection that does not respond is replaced; null for never. */
  silenceSeconds?: number | null | undefined
  /** Called with the SQL of every query that goes to the server. */
  onQuery?: ((query: string) => void) | undefined
  /** Called whenever a connection of the pool ends, for whatever reason. */
  onClose?: (() => void) | undefined
}

type DatabaseOptions = Omit<ConnectOptions, 'idleSeconds' | 'onClose'> &
  Pick<EmbeddedOptions, 'dataDir' | 'use' | 'mustExist' | 'say' | 'ended' | 'durable'> & {
    /** Null for the embedded database in `dataDir`. */
    databaseUrl: string | null
  }

export type Database = {
  sql: Sql
  db: Db
  kind: 'external' | 'embedded'
  /** The server's version and place for people, without the password. */
  where: string
  /** For a handle whose tables are those known at a time: that time. */
  readonly knownMs?: number
  /** Closes the pool; running queries get a few seconds to finish. Safe to call twice. */
  close(): Promise<void>
  /**
   * Stops an embedded server at once, unless others use it; running queries fail. Absent for any
   * other. Safe to call twice, and after or during `close`.
   */
  abandon?(): Promise<void>
}

/**
 * A client for one PostgreSQL; it connects with the first query.
 *
 * int8 is returned as a number, or as a string beyond 2^53; once drizzle wraps the client, times
 * are the server's strings, in UTC.
 */
export function connect(url: string, options: ConnectOptions = {}): Sql {
  const { connectionsMax = CONNECTIONS_MAX, idleSeconds = IDLE_SECONDS_MAX } = options
  const { onQuery, onClose, silenceSeconds } = options
  const { address, options: server } = serverOf(url)
  return postgres(address, {
    ...server,
    max: connectionsMax,
    connect_timeout: CONNECT_SECONDS_MAX,
    backoff: () => RECONNECT_SECONDS,
    ...(idleSeconds === null ? { max_lifetime: null } : { idle_timeout: idleSeconds }),
    connection: { application_name: 'corridor', TimeZone: 'UTC' },
    onnotice: () => {},
    ...({ session: SESSION, fetch_types: ARRAY_TYPES } as object),
    ...(silenceSeconds && { silence_timeout: silenceSeconds }),
    ...(onQuery && { debug: (_connection: number, query: string) => onQuery(query) }),
    ...(onClose && { onclose: onClose }),
    types: { int8: { to: INT8, from: [INT8], serialize: String, parse: int8 } },
  }) as unknown as Sql
}

/** The state of a pool's connections; `waiting` are queries that found none free. */
export type PoolFigures = Readonly<
  Record<'size' | 'idle' | 'used' | 'connecting' | 'waiting', number>
>

/** The metrics of a pool. The driver keeps them private; our patch exposes them. */
export const poolOf = (sql: Sql): PoolFigures => ({
  ...(sql as unknown as { pool(): Omit<PoolFigures, 'size'> }).pool(),
  size: sql.options.max,
})

/**
 * Opens corridor's database: `databaseUrl`, or else the embedded one in `dataDir`.
 *
 * Resolves once the server has responded. Fails with one sentence that says what to check, without
 * the password; nothing stays open then.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.databaseUrl === null
    ? openOwn(options)
    : openExternal(options.databaseUrl, options)
}

async function openExternal(url: string, options: DatabaseOptions): Promise<Database> {
  const place = placeOf(url)
  const silenceSeconds = options.use === 'service' ? SILENCE_SECONDS_MAX : null
  const sql = connect(url, { silenceSeconds, ...options })
  const close = closer(sql)
  try {
    const where = `PostgreSQL ${await serverVersion(sql, place)} at ${place}`
    return { sql, db: drizzle(sql), kind: 'external', where, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openOwn(options: DatabaseOptions): Promise<Database> {
  const { dataDir, use, mustExist, say, ended, durable, connectionsMax, onQuery } = options
  const embedded = await openEmbedded({ dataDir, use, mustExist, say, ended, durable })
  const { onClose, stop, follow } = reviver(embedded, say)
  const sql = connect(embedded.url, { connectionsMax, onQuery, onClose, idleSeconds: null })
  follow(sql)
  const close = closer(sql, async () => {
    await embedded.close()
  })
  try {
    const version = await serverVersion(sql, dataDir)
    return {
      sql,
      db: drizzle(sql),
      kind: 'embedded',
      where: `embedded PostgreSQL ${version} in ${embedded.directory}`,
      close() {
        stop()
        return close()
      },
      abandon() {
        stop()
        return embedded.close()
      },
    }
  } catch (error) {
    stop()
    await close()
    throw error
  }
}

/**
 * Restarts an embedded server that died while in use: each lost connection asks for it, and
 * attempts go on until it runs, as the driver may not ask again. If its port is taken, the pool
 * follows it to the new one.
 */
function reviver(embedded: Embedded, say: DatabaseOptions['say']) {
  let state: 'idle' | 'busy' | 'stopped' = 'idle'
  let client: Sql | null = null
  const revive = async () => {
    for (let fault = ''; state === 'busy'; ) {
      try {
        const port = await embedded.revive()
        if (client) await reconnected(client, port)
        state = state === 'busy' ? 'idle' : state
      } catch (error) {
        const { message } = error as Error
        if (message !== fault) say(`cannot restart the embedded database yet: ${message}`)
        fault = message
        await delay(REVIVE_MS, undefined, { ref: false })
      }
    }
  }
  return {
    follow(sql: Sql) {
      client = sql
    },
    onClose() {
      if (state !== 'idle') return
      state = 'busy'
      void revive()
    },
    stop() {
      state = 'stopped'
    },
  }
}

/**
 * Points a pool at a port and waits for a connection. A process that sends no queries, such as the
 * one that manages workers, notices that the server died again only by losing a connection.
 */
async function reconnected(sql: Sql, port: number): Promise<void> {
  moveTo(sql, port)
  await sql`SELECT 1`
}

/** The server's version for people, e.g. `16.4`; fails if it is too old or does not respond. */
async function serverVersion(sql: Sql, place: string): Promise<string> {
  let version: string
  try {
    const rows = await sql`SHOW server_version`
    version = String(rows[0]?.server_version).split(' ')[0] ?? ''
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(
      `cannot connect to the database at ${place} (${message || code}): ` +
        'check DATABASE_URL, and that PostgreSQL runs there and lets this user in',
      { cause: error },
    )
  }
  if (Number.parseInt(version, 10) >= POSTGRES_MAJOR_MIN) return version
  throw new Error(
    `the database at ${place} is PostgreSQL ${version}: ` +
      `corridor needs ${POSTGRES_MAJOR_MIN} or newer, so point DATABASE_URL at such a server`,
  )
}

function closer(sql: Sql, after: () => Promise<void> = async () => {}): () => Promise<void> {
  let closing: Promise<void> | null = null
  const close = async () => {
    await sql.end({ timeout: CLOSE_SECONDS_MAX })
    await after()
  }
  return () => {
    closing ??= close()
    return closing
  }
}

function int8(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}
