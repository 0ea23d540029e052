import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { connect, type Database, placeOf, type Sql } from './database.ts'

type ReadPoolOptions = {
  readonly connectionsMax: number
  /** A statement that takes longer is broken off by the server: nobody waits for it any more. */
  readonly statementMsMax: number
}

const CLOSE_SECONDS_MAX = 1
/** The server breaks a statement off before: a connection so silent leads nowhere. */
const SILENCE_SECONDS_MAX = 20

/** Connections of their own to the same database, so that long questions hold nobody else up. */
export const readPool = ({ sql, kind, where }: Database, options: ReadPoolOptions): Database =>
  poolLike(sql, { kind, where }, options)

/** The same to the database at a URL; throws when that is no address. */
export const readPoolAt = (url: string, options: ReadPoolOptions): Database =>
  poolLike(
    connect(url, { silenceSeconds: SILENCE_SECONDS_MAX }),
    { kind: 'external', where: placeOf(url) },
    options,
  )

function poolLike(
  { options }: Sql,
  named: Pick<Database, 'kind' | 'where'>,
  { connectionsMax, statementMsMax }: ReadPoolOptions,
): Database {
  const sql = postgres({
    ...options,
    shared: { retries: 0, typeArrayMap: {} },
    max: connectionsMax,
    connection: { ...options.connection, statement_timeout: statementMsMax },
    onclose: () => {},
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql
  const close = () => sql.end({ timeout: CLOSE_SECONDS_MAX })
  return { ...named, sql, db: drizzle(sql), close }
}
