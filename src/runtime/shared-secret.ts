import { createHmac, randomBytes } from 'node:crypto'
import type { Config } from '~/config.ts'
import { madeOnce } from '~/domain/made-once.ts'
import type { Database } from '~/store/database.ts'
import { createPortalStore } from '~/store/portal/portal-store.ts'

/** Gives the secret that all replicas share; rejects while the database cannot be asked for it. */
export type SharedSecret = () => Promise<string>

const SECRET_BYTES = 32
const FINGERPRINT_LENGTH = 32

/** The secret in the settings, or one that all replicas find in the database, asked for once. */
export function sharedSecretOf(
  { authSecret }: Pick<Config, 'authSecret'>,
  database: Database,
): SharedSecret {
  const store = createPortalStore(database)
  return madeOnce(() => authSecret ?? store.secret(randomBytes(SECRET_BYTES).toString('base64url')))
}

/** Returns a function that derives from a string one that only holders of the secret can derive. */
export const fingerprintsBy =
  (secret: SharedSecret) =>
  async (text: string): Promise<string> => {
    const hmac = createHmac('sha256', await secret()).update(text)
    return hmac.digest('base64url').slice(0, FINGERPRINT_LENGTH)
  }
