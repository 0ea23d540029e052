import { isMarked } from '~/domain/api-key.ts'
import type { Refresher } from '~/jobs/refresh.ts'
import type { Memory } from '~/memory/memory.ts'
import { AccessTokens } from '~/service/connection/access-tokens.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { SCOPES } from '~/wire/connection/metadata.ts'
import type { ServiceOptions } from './service-options.ts'
import type { SharedSecret } from './shared-secret.ts'

const AWAY = 'the database with the access tokens cannot be reached at the moment'

type Deps = Pick<ServiceOptions, 'database' | 'clock'> & {
  readonly memory: Memory
  readonly refresher: Refresher
  readonly secret: SharedSecret
}

/** Access tokens as the database has them; the key of one may come from another process. */
export function accessTokensOf({ database, clock, memory, refresher, secret }: Deps): AccessTokens {
  const store = createConnectionStore(database, SCOPES)
  const load = async (tokenHash: string) => {
    const held = await orUnavailable(store.accessOf(tokenHash), AWAY)
    if (held && !memory.current.keys.keyByHash(held.keyHash)) {
      refresher.note({ kind: 'access', accountId: held.accountId })
      await refresher.settled()
    }
    return held
  }
  const isOurs = async (text: string) => isMarked(text, await orUnavailable(secret(), AWAY))
  return new AccessTokens({ memory, load, isMarked: isOurs, clock })
}
