import type { Refresher } from '~/jobs/refresh.ts'
import type { Memory } from '~/memory/memory.ts'
import { AccessTokens } from '~/service/connection/access-tokens.ts'
import { orUnavailable } from '~/store/outage.ts'
import { createConnectionStore } from '~/store/portal/connection-store.ts'
import { SCOPES } from '~/wire/connection/metadata.ts'
import type { ServiceOptions } from './service-options.ts'

const AWAY = 'the database with the access tokens cannot be reached at the moment'

type Deps = Pick<ServiceOptions, 'database' | 'clock'> & {
  readonly memory: Memory
  readonly refresher: Refresher
}

/** Access tokens as the database has them; the key of one may come from another process. */
export function accessTokensOf({ database, clock, memory, refresher }: Deps): AccessTokens {
  const store = createConnectionStore(database, SCOPES)
  const load = async (tokenHash: string) => {
    const held = await orUnavailable(store.accessOf(tokenHash), AWAY)
    if (held && !memory.current.keys.keyByHash(held.keyHash)) {
      refresher.note({ kind: 'access', accountId: held.accountId })
      await refresher.settled()
    }
    return held
  }
  return new AccessTokens({ memory, load, clock })
}
