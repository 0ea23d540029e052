import { readMigrationFiles } from 'drizzle-orm/migrator'
import type { Sql } from './database.ts'

/**
 * Whether a database has had the last migration of a folder, or a later one. Takes no more than the
 * right to read.
 */
export async function isCurrent(sql: Sql, folder: string): Promise<boolean> {
  const [table] = await sql`SELECT to_regclass('drizzle.__drizzle_migrations') AS name`
  if (!table?.name) return false
  const made = readMigrationFiles({ migrationsFolder: folder }).map((file) => file.folderMillis)
  const [row] = await sql`SELECT max(created_at) AS last FROM drizzle.__drizzle_migrations`
  return row?.last != null && Number(row.last) >= Math.max(...made)
}
