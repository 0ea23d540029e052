import { setTimeout as delay } from 'node:timers/promises'
import { keyHashOf } from '~/domain/api-key.ts'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { ask } from '../answer.ts'
import { type Fault, UNNOTICED } from '../fault.ts'
import type { Replica } from '../replica.ts'
import type { Scene } from '../scene.ts'
import { newKey } from '../template.ts'

const WAIT_MS = 1_000
const GIVE_UP_MS = 10_000
const POLL_MS = 5

/** Keys are created and revoked; every replica has to know within a second. */
export const revokedKey: Fault = {
  name: 'revoked key',
  rules: UNNOTICED,
  async play({ scene, load, isSmall, must, note }) {
    const store = createAccountStore(scene.admin)
    const { accountId } = scene.template.keys.probe
    let longestMs = 0
    for (let round = 0; round < (isSmall ? 5 : 20); round++) {
      const key = newKey()
      const created = await store.createKey({
        accountId,
        name: 'brief',
        hash: keyHashOf(key),
        actor: COMMAND_LINE,
      })
      const knownMs = await everywhere(scene, key, 200)
      await store.revokeKey(created!.id, scene.clock.now(), { actor: COMMAND_LINE })
      const refusedMs = await everywhere(scene, key, 401)
      longestMs = Math.max(longestMs, refusedMs)
      must(
        knownMs <= load.secondMs,
        `a new key was known everywhere after ${Math.round(knownMs)} ms`,
      )
      must(
        refusedMs <= load.secondMs,
        `a key was refused everywhere after ${Math.round(refusedMs)} ms`,
      )
    }
    note('longest until refused everywhere', `${Math.round(longestMs)} ms`)
  },
}

/** Milliseconds until every replica returns this status for this key. */
export async function everywhere(scene: Scene, key: string, status: number): Promise<number> {
  const startAt = performance.now()
  await Promise.all(scene.replicas.map((replica) => until({ scene, replica, key, status })))
  return performance.now() - startAt
}

type Waiting = { scene: Scene; replica: Replica; key: string; status: number }

async function until({ scene, replica, key, status }: Waiting): Promise<void> {
  const { clock } = scene
  const origin = `${replica.origin}/api/v1`
  const asking = { origin, clock, key, waitMs: WAIT_MS, lifeOf: () => replica.name }
  const deadline = performance.now() + GIVE_UP_MS
  while ((await ask('/admin/usage', asking)).status !== status) {
    if (performance.now() > deadline) return
    await delay(POLL_MS)
  }
}
