import { FIRST_KEY_NAME } from '~/domain/account.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { newKey } from '~/runtime/new-key.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import type { Scene } from '../http/scene.ts'

/** Keys of as many enterprise accounts, which the service knows by the time this resolves. */
export async function enterpriseKeys({ database, service }: Scene, count: number) {
  const store = createAccountStore(database)
  const keys: string[] = []
  for (let i = 0; i < count; i++) {
    const { key, hash, lastFour } = newKey()
    await store.create({
      ...{ email: `stream-${i}@example.com`, plan: 'enterprise', role: 'member' },
      ...{ keyName: FIRST_KEY_NAME, keyHash: hash, lastFour, actor: COMMAND_LINE },
    })
    keys.push(key)
  }
  const headers = { 'x-api-key': keys.at(-1)! }
  while ((await fetch(`${service.url}/admin/usage`, { headers })).status !== 200)
    await Bun.sleep(50)
  return keys
}
