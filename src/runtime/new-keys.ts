import type { Refresher } from '~/jobs/refresh.ts'
import { NewKeys } from '~/service/new-keys.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import type { ServiceOptions } from './service-options.ts'

type NewKeysDeps = Pick<ServiceOptions, 'database' | 'clock'>

/** Keys created by other processes that no announcement has reported yet. */
export function newKeysOf({ database, clock }: NewKeysDeps, refresher: Refresher): NewKeys {
  const accounts = createAccountStore(database)
  const load = async (hash: string) => {
    const accountId = await accounts.accountOfKey(hash)
    if (accountId === null) return
    refresher.note({ kind: 'access', accountId })
    await refresher.settled()
  }
  return new NewKeys({ load, clock })
}
