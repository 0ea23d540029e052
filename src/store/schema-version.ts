import { readMigrationFiles } from 'drizzle-orm/migrator'
import journal from '../../drizzle/meta/_journal.json'
import type { Sql, TransactionSql } from './database.ts'

/** The time of the database's last migration; 0 without any. Needs the right to read only. */
export async function schemaVersion(sql: Sql | TransactionSql): Promise<number> {
  const [table] = await sql`SELECT to_regclass('drizzle.__drizzle_migrations') AS name`
  if (!table?.name) return 0
  const [row] = await sql`SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations`
  return Number(row?.last ?? 0)
}

/** The time when a migration of ours was made. */
export const versionOf = (tag: string): number =>
  journal.entries.find((entry) => entry.tag === tag)!.when

/** The name of the database's last migration; its time if it is not one of ours. */
export async function schemaName(sql: Sql): Promise<string> {
  const last = await schemaVersion(sql)
  return journal.entries.find(({ when }) => when === last)?.tag ?? String(last)
}

/** Reports whether a database has the last migration of a folder, or a later one. */
export async function isCurrent(sql: Sql, folder: string): Promise<boolean> {
  const made = readMigrationFiles({ migrationsFolder: folder }).map((file) => file.folderMillis)
  return (await schemaVersion(sql)) >= Math.max(...made)
}
