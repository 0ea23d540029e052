import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyFolder } from 'drizzle-orm/postgres-js/migrator'
import type { Database, Sql } from './database.ts'
import { ownConnection } from './own-connection.ts'

const FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url))
const LOCK = 0x636f7272
const CLOSE_SECONDS_MAX = 5

/**
 * Brings the database to the current schema and answers how many migrations that took.
 *
 * All of them or none are applied. Callers at the same moment, in any process, take turns under an
 * advisory lock, so each migration runs once; the lock needs a connection of its own.
 */
export async function migrate(
  database: Pick<Database, 'sql'>,
  folder: string = FOLDER,
): Promise<number> {
  const sql = ownConnection(database.sql)
  try {
    await sql`SELECT pg_advisory_lock(${LOCK})`
    const before = await appliedCount(sql)
    await applyFolder(drizzle(sql), { migrationsFolder: folder })
    return (await appliedCount(sql)) - before
  } catch (error) {
    throw new Error(
      `the database could not be brought to the current schema, nothing was changed: ` +
        `${reasonOf(error)}`,
      { cause: error },
    )
  } finally {
    await sql.end({ timeout: CLOSE_SECONDS_MAX })
  }
}

async function appliedCount(sql: Sql): Promise<number> {
  const [table] = await sql`SELECT to_regclass('drizzle.__drizzle_migrations') AS name`
  if (!table?.name) return 0
  const [row] = await sql`SELECT count(*)::int AS count FROM drizzle.__drizzle_migrations`
  return Number(row?.count)
}

/** drizzle's message is the statement; what went wrong with it is the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
