import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { connect, type Database, SESSION, type Sql } from './database.ts'
import { placeOf } from './server-address.ts'

type ReadPoolOptions = {
  readonly connectionsMax: number
  readonly statementMsMax?: number
}

/** The limit on a statement, longer than any caller waits for a response. */
const STATEMENT_MS_MAX = 11_000

const CLOSE_SECONDS_MAX = 1
/** The longest silence of a connection; a statement would have been cancelled before. */
const SILENCE_SECONDS_MAX = 20

/**
 * Makes the server plan each query once for a connection. By default it plans queries about months
 * again each time, which takes longer than running them, since it does not know beforehand that a
 * plan for all months opens few of them. Citus has to see the corridor itself in each plan.
 */
const PAST_SESSION = `${SESSION}, set_config('plan_cache_mode', case
  when to_regclass('pg_catalog.pg_dist_partition') is null then 'force_generic_plan' else 'auto'
end, false)`

/** A separate pool for the same database, so that long queries hold nothing else up. */
export const readPool = ({ sql, kind, where }: Database, options: ReadPoolOptions): Database =>
  poolLike(sql, { kind, where }, options)

/** A pool of that kind for the database at a URL; throws when that is not an address. */
export const readPoolAt = (url: string, options: ReadPoolOptions): Database =>
  poolLike(
    connect(url, { silenceSeconds: SILENCE_SECONDS_MAX }),
    { kind: 'external', where: placeOf(url) },
    options,
  )

function poolLike(
  { options }: Sql,
  named: Pick<Database, 'kind' | 'where'>,
  { connectionsMax, statementMsMax = STATEMENT_MS_MAX }: ReadPoolOptions,
): Database {
  const sql = postgres({
    ...options,
    shared: { retries: 0, typeArrayMap: {} },
    max: connectionsMax,
    connection: { ...options.connection, statement_timeout: statementMsMax },
    session: PAST_SESSION,
    onclose: () => {},
  } as unknown as postgres.Options<Record<string, never>>) as unknown as Sql
  const close = () => sql.end({ timeout: CLOSE_SECONDS_MAX })
  return { ...named, sql, db: drizzle(sql), close }
}
