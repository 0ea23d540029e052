import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/postgres-js'
import type { Database, Sql } from './database.ts'
import { isDistributed } from './distributed/distribution.ts'
import { isBusy } from './month/briefly.ts'
import { MONTHS, prepareMonths } from './month/preparation.ts'
import { ownConnection } from './own-connection.ts'
import { reasonOf } from './reason.ts'
import { again, wasBrokenOff } from './rerun.ts'
import { isCurrent, schemaVersion, versionOf } from './schema-version.ts'

const FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url))
const LOCK = 0x636f7272
const CLOSE_SECONDS_MAX = 5
/**
 * The first wait for a table. Other sessions that need the table meanwhile wait too, so the wait is
 * short and repeated. It grows each time until the server cancels its own vacuum, which takes it a
 * second.
 */
const TABLE_WAIT_MS = 250
const TABLE_WAIT_MS_MAX = 1500
const PAUSE_MS = 250
const TRIES_MAX = 240
const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Brings the database to the current schema and returns the number of migrations that it took. If
 * it is current, the right to read is enough.
 *
 * All migrations or none are applied, unless it is cut off while it prepares one alongside a
 * serving version: then the migrations before it are applied, and the next run goes on. Concurrent
 * callers, in any process, take turns under an advisory lock, so each migration runs once; the lock
 * needs a connection of its own. A table that a service is busy with is waited for in short turns,
 * which hold the service up only briefly.
 */
export async function migrate(
  database: Pick<Database, 'sql'>,
  folder: string = FOLDER,
): Promise<number> {
  const sql = ownConnection(database.sql)
  let explain = reasonOf
  let outcome = 'nothing was changed'
  try {
    if (await isCurrent(database.sql, folder)) return 0
    explain = changeReasonOf
    await turn(sql)
    if (await isDistributed(sql)) await sql`SET citus.multi_shard_modify_mode = 'sequential'`
    const before = await appliedCount(sql)
    const isFilled = before > 0 && (await needsPreparation(sql, folder))
    if (isFilled) {
      outcome = 'its prepared part is retained: run it again'
      await patiently(sql, () => apply(sql, folder, versionOf(MONTHS)))
      await prepareMonths(sql, patiently)
    }
    await patiently(sql, () => apply(sql, folder))
    if (isFilled) await patiently(sql, () => sql`SELECT analyze_observations()`)
    return (await appliedCount(sql)) - before
  } catch (error) {
    throw new Error(
      `the database could not be brought to the current schema, ${outcome}: ${explain(error)}`,
      { cause: error },
    )
  } finally {
    await sql.end({ timeout: CLOSE_SECONDS_MAX })
  }
}

/**
 * Waits until no other process migrates. It retries, since a statement that waits would
 * hold up an index that is created alongside others until the server takes it for a deadlock.
 */
async function turn(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql`SELECT pg_try_advisory_lock(${LOCK}) AS mine`
    if (row?.mine) return
    await delay(PAUSE_MS)
  }
}

/** Applies the migrations of a folder, in one transaction; all, or those before a time. */
async function apply(sql: Sql, folder: string, beforeMs = Number.POSITIVE_INFINITY): Promise<void> {
  const config = { migrationsFolder: folder }
  const files = readMigrationFiles(config).filter(({ folderMillis }) => folderMillis < beforeMs)
  const { session } = drizzle(sql)._ as unknown as { session: Parameters<PgDialect['migrate']>[1] }
  await new PgDialect().migrate(files, session, config)
}

/** Reports whether a migration follows that needs work while the old version serves. */
async function needsPreparation(sql: Sql, folder: string): Promise<boolean> {
  const files = readMigrationFiles({ migrationsFolder: folder })
  const isIn = files.some(({ folderMillis }) => folderMillis === versionOf(MONTHS))
  return isIn && (await schemaVersion(sql)) < versionOf(MONTHS)
}

function patiently(sql: Sql, work: () => Promise<unknown>): Promise<void> {
  const within = async (tries: number) => {
    const waitMs = Math.min(tries * TABLE_WAIT_MS, TABLE_WAIT_MS_MAX)
    await sql`SELECT set_config('lock_timeout', ${`${waitMs}ms`}, false)`
    await work()
  }
  return again(within, { triesMax: TRIES_MAX, pauseMs: PAUSE_MS, isWorth: isHeldUp })
}

function isHeldUp(error: unknown): boolean {
  const cause = (error as { cause?: unknown }).cause ?? error
  return isBusy(cause) || wasBrokenOff(cause)
}

async function appliedCount(sql: Sql): Promise<number> {
  const [table] = await sql`SELECT to_regclass('drizzle.__drizzle_migrations') AS name`
  if (!table?.name) return 0
  const [row] = await sql`SELECT count(*)::int AS count FROM drizzle.__drizzle_migrations`
  return Number(row?.count)
}

/** Reports whether the database has the schema of this version, or a later one. */
export const isMigrated = (sql: Sql): Promise<boolean> => isCurrent(sql, FOLDER)

type Caught = { readonly code?: unknown; readonly message: string }

/** The error for a user without the right to change the schema, which needs another user. */
function changeReasonOf(error: unknown): string {
  const { cause } = error as { cause?: Caught }
  const { code, message } = cause ?? (error as Caught)
  return code === INSUFFICIENT_PRIVILEGE
    ? `${message}: run \`corridor migrate\` as the user that owns the tables`
    : reasonOf(error)
}
