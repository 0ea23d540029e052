import { drizzle } from 'drizzle-orm/postgres-js'
import { connect, type Database } from '~/store/database.ts'
import { openEmbedded } from '~/store/embedded/embedded.ts'
import { migrate } from '~/store/migrate.ts'

export type Home = { readonly database: Database; readonly url: string; close(): Promise<void> }

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
