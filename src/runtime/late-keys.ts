import { isMarked } from '~/domain/api-key.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Memory } from '~/memory/memory.ts'
import { AccessTokens } from '~/service/connection/access-tokens.ts'
import { NewKeys } from '~/service/new-keys.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { SCOPES } from '~/wire/connection/metadata.ts'
import type { ServiceOptions } from './service-options.ts'
import type { SharedSecret } from './shared-secret.ts'

type NewKeysDeps = Pick<ServiceOptions, 'database' | 'clock'> & { readonly refresher: Refresher }

/** Keys created by other processes that no announcement has reported yet. */
export function newKeysOf({ database, clock, refresher }: NewKeysDeps): NewKeys {
  const accounts = createAccountStore(database)
  const load = async (hash: string) => {
    const accountId = await accounts.accountOfKey(hash)
    if (accountId !== null) await refresher.loadAccess(accountId)
  }
  return new NewKeys({ load, clock })
}

const AWAY = 'the database with the access tokens cannot be reached'

type TokensDeps = NewKeysDeps & { readonly memory: Memory; readonly secret: SharedSecret }

/** Access tokens as the database has them; the key of one may come from another process. */
export function accessTokensOf({ database, clock, memory, refresher, secret }: TokensDeps) {
  const store = createConnectionStore(database, SCOPES)
  const load = async (tokenHash: string) => {
    const held = await orUnavailable(store.accessOf(tokenHash), AWAY)
    if (held && !memory.current.keys.keyByHash(held.keyHash))
      await refresher.loadAccess(held.accountId)
    return held
  }
  const isOurs = async (text: string) => isMarked(text, await orUnavailable(secret(), AWAY))
  return new AccessTokens({ memory, load, isMarked: isOurs, clock })
}
