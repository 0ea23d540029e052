import { type Account, isRevoked } from '~/domain/account.ts'
import { keyHashOf } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import type { Plan } from '~/domain/quota.ts'
import { newKey } from '~/runtime/new-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import type { Database } from '~/store/database.ts'
import type { DemoAccount } from './demo-state.ts'

const WANTED: readonly Pick<Account, 'plan' | 'role'>[] = [
  { plan: 'free', role: 'member' },
  { plan: 'pro', role: 'member' },
  { plan: 'enterprise', role: 'treasury' },
]

/** The address of a demonstration's account, which names the plan that it began with. */
export const demoEmail = (plan: Plan): string => `${plan}@demo.example`

/**
 * One account for each plan, each with a key that works: those in `known` that the database has, a
 * new key if the known one is gone or revoked, and a new account if there is none. Plan and role
 * are the present ones.
 */
export async function demoAccounts(
  database: Database,
  known: readonly DemoAccount[],
  nowMs: number,
): Promise<DemoAccount[]> {
  const store = createAccountStore(database)
  const existing = new Map((await store.list()).map((account) => [account.email, account]))
  const accounts: DemoAccount[] = []
  for (const wanted of WANTED) {
    const email = demoEmail(wanted.plan)
    const account = existing.get(email)
    const shown = account ? { plan: account.plan, role: account.role } : wanted
    const remembered = known.find((candidate) => candidate.email === email)?.key
    const isGood = account && remembered && (await opens(account.id, remembered))
    const key = isGood ? remembered : await newKeyOf({ ...wanted, email, accountId: account?.id })
    accounts.push({ ...shown, email, key })
  }
  return accounts

  async function opens(accountId: string, key: string): Promise<boolean> {
    const hash = keyHashOf(key)
    const keys = await store.listKeys(accountId)
    return keys.some((own) => own.hash === hash && !isRevoked(own, nowMs))
  }

  async function newKeyOf({ accountId, ...wanted }: Wanted): Promise<string> {
    const { key, hash, lastFour } = newKey()
    const actor = COMMAND_LINE
    if (accountId) await store.createKey({ accountId, name: 'demo', hash, lastFour, actor })
    else await store.create({ ...wanted, keyName: 'demo', keyHash: hash, lastFour, actor })
    return key
  }
}

type Wanted = Omit<Account, 'id'> & { accountId: string | undefined }
