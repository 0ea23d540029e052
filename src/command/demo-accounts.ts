import { COMMAND_LINE } from '~/domain/audit.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/account-store.ts'
import type { Database } from '~/store/database.ts'
import type { DemoAccount } from './demo-state.ts'
import { newKey } from './new-key.ts'

const WANTED: readonly { plan: Plan; role: Role }[] = [
  { plan: 'free', role: 'member' },
  { plan: 'pro', role: 'member' },
  { plan: 'enterprise', role: 'treasury' },
]

/**
 * One account for each plan, each with a key that is known: those of `known` where the database has
 * them, a new key for an account whose key is known no more, a new account where there is none.
 */
export async function demoAccounts(
  database: Database,
  known: readonly DemoAccount[],
): Promise<DemoAccount[]> {
  const store = createAccountStore(database)
  const existing = new Map((await store.list()).map((account) => [account.email, account]))
  const accounts: DemoAccount[] = []
  for (const { plan, role } of WANTED) {
    const email = `${plan}@demo.example`
    const account = existing.get(email)
    const remembered = account && known.find((candidate) => candidate.email === email)
    accounts.push(remembered ?? (await withKey({ plan, role, email, accountId: account?.id })))
  }
  return accounts

  async function withKey({ accountId, ...wanted }: Wanted): Promise<DemoAccount> {
    const { key, hash } = newKey()
    const actor = COMMAND_LINE
    if (accountId) await store.createKey({ accountId, name: 'demo', hash, actor })
    else await store.create({ ...wanted, keyName: 'demo', keyHash: hash, actor })
    return { ...wanted, key }
  }
}

type Wanted = { plan: Plan; role: Role; email: string; accountId: string | undefined }
