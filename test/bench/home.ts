import { drizzle } from 'drizzle-orm/postgres-js'
import { connect, type Database } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { migrate } from '~/store/migrate.ts'
import { freshDatabase } from '../support/postgres.ts'

export type Home = { readonly database: Database; readonly url: string; close(): Promise<void> }

let isShared = false

/** Makes later empty homes databases of one server: for runs whose figures do not count. */
export const shareServer = (): void => {
  isShared = true
}

/** A migrated database without rows: of the shared server, or of one of its own. */
export async function emptyHome(dataDir: string): Promise<Home> {
  if (!isShared) return openHome(dataDir)
  const database = await freshDatabase()
  return { database, url: database.url, close: () => database.close() }
}

/** An embedded database of its own, as durable as the product's, brought up to date. */
export async function openHome(dataDir: string): Promise<Home> {
  const embedded = await openEmbedded({ dataDir, use: 'command', say: () => {} })
  const { url } = embedded
  const sql = connect(url)
  const database: Database = {
    sql,
    db: drizzle(sql),
    kind: 'embedded',
    where: embedded.directory,
    close: () => sql.end(),
  }
  const close = async () => {
    await database.close()
    await embedded.close()
  }
  try {
    await migrate(database)
    return { database, url, close }
  } catch (error) {
    await close()
    throw error
  }
}
