import { setTimeout as delay } from 'node:timers/promises'
import { keyHashOf } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { DATABASE_AWAY, type Fault } from '../fault.ts'
import { lifeOf } from '../load.ts'
import { newKey } from '../template.ts'
import { everywhere } from './revoked-key.ts'

const REST_MS = 30

/**
 * One replica is cut off from the database and receives no changes; it continues to serve what it
 * knows and catches up after reconnecting.
 */
export const partition: Fault = {
  name: 'one replica cut off from the database',
  rules: { ...DATABASE_AWAY, lagging: ['c'] },
  async play({ scene, load, isSmall, must, note }) {
    const proxy = scene.proxies.at(-1)!
    const replica = scene.replicas.at(-1)!
    const store = createAccountStore(scene.admin)
    const { accountId } = scene.template.keys.probe
    const key = newKey()
    const created = await store.createKey({
      accountId,
      name: 'brief',
      hash: keyHashOf(key),
      actor: COMMAND_LINE,
    })
    await everywhere(scene, key, 200)
    proxy.silence()
    await store.revokeKey(created!.id, scene.clock.now(), { actor: COMMAND_LINE })
    const endAt = performance.now() + (isSmall ? 3_000 : 15_000)
    while (performance.now() < endAt) {
      const answer = await load.ask('live', '/rates?from=USD&to=KES', {
        ...{ caller: 'probe', origin: replica.origin },
        lifeOf: () => lifeOf(scene, replica.name),
      })
      load.isSuccess(answer, 'live')
      await delay(REST_MS)
    }
    proxy.mend({ isOldCut: true })
    const refusedMs = Math.round(await everywhere(scene, key, 401))
    note('key revoked meanwhile refused after', `${refusedMs} ms`)
    must(refusedMs <= 5_000, `it took ${refusedMs} ms until a revoked key is known`)
  },
}
