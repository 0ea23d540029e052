import type { Config } from '~/config.ts'
import { originOfLog } from '~/runtime/evidence/evidence.ts'
import { LogKeys } from '~/runtime/evidence/log-keys.ts'
import { sharedSecretOf } from '~/runtime/shared-secret.ts'
import type { Database } from '~/store/database.ts'
import { createLogStore } from '~/store/evidence/log-store.ts'

/** The keys of the log in a database, and the name under which they sign. */
export async function logOf(database: Database, config: Config) {
  const keys = new LogKeys({ config, database, secret: sharedSecretOf(config, database) })
  const origin = (await createLogStore(database).origin()) ?? originOfLog(config)
  return { keys, origin }
}
