import { FIRST_KEY_NAME } from '~/domain/account.ts'
import type { Plan, Role } from '~/domain/quota.ts'
import { newKey } from '~/runtime/new-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import type { Database } from '~/store/database.ts'
import type { Running } from './process.ts'

/** The key of a new account. */
export async function keyOf(
  database: Database,
  { plan = 'enterprise', role = 'member' }: { plan?: Plan; role?: Role } = {},
): Promise<string> {
  const { key, hash, lastFour } = newKey()
  const email = `${crypto.randomUUID()}@example.com`
  const first = { keyName: FIRST_KEY_NAME, keyHash: hash, lastFour }
  await createAccountStore(database).create({ email, plan, role, ...first })
  return key
}

type Served = { readonly database: Database; readonly service: Running }

/** Keys of as many enterprise accounts, which the service knows by the time this resolves. */
export async function enterpriseKeys({ database, service }: Served, count: number) {
  const keys: string[] = []
  for (let i = 0; i < count; i++) keys.push(await keyOf(database))
  const headers = { 'x-api-key': keys.at(-1)! }
  while ((await fetch(`${service.url}/admin/usage`, { headers })).status !== 200)
    await Bun.sleep(50)
  return keys
}
