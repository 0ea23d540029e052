import { setTimeout as delay } from 'node:timers/promises'
import { ask, shownOf } from './answer.ts'
import type { Entry } from './ledger.ts'
import { type Load, rowOf } from './load.ts'
import type { Replica } from './replica.ts'
import type { Scene } from './scene.ts'
import { PROBE } from './world.ts'

const HEAL_MS_MAX = 30_000
const POLL_MS = 25
const WAIT_MS = 2_000
const [FROM, TO] = PROBE.split('/')

/**
 * Milliseconds until each replica is ready, records, shows what every other has recorded and serves
 * history; null if that takes too long.
 */
export async function healed(scene: Scene, load: Load): Promise<number | null> {
  const startAt = performance.now()
  for (const replica of scene.replicas) {
    const entry = load.ledger.send(PROBE, scene.clock.now())
    const steps = [
      () => isReady(replica),
      () => records(scene, replica, entry),
      ...scene.replicas.map((other) => () => shows(scene, other)),
      () => remembers(scene, replica),
    ]
    for (const step of steps)
      while (!(await step())) {
        if (performance.now() - startAt > HEAL_MS_MAX) return null
        await delay(POLL_MS)
      }
  }
  return performance.now() - startAt
}

async function isReady({ origin }: Replica): Promise<boolean> {
  const signal = AbortSignal.timeout(WAIT_MS)
  return fetch(`${origin}/readyz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  )
}

const askingOf = ({ clock, template }: Scene, { origin, name, life }: Replica) => ({
  ...{ origin: `${origin}/api/v1`, clock, key: template.keys.probe.key, waitMs: WAIT_MS },
  lifeOf: () => `${name}${life}`,
})

async function records(scene: Scene, replica: Replica, entry: Entry): Promise<boolean> {
  const headers = { 'idempotency-key': entry.note }
  scene.ledger.sendAgain(entry, scene.clock.now())
  const asking = { ...askingOf(scene, replica), body: [rowOf(entry)], headers }
  const { status, toMs, by } = await ask('/rates', asking)
  if (status !== 201) return false
  scene.ledger.acknowledge(entry, { nowMs: toMs, by })
  return true
}

/** Reports whether a replica shows the expected data at both tiers. */
async function shows(scene: Scene, replica: Replica): Promise<boolean> {
  const asking = askingOf(scene, replica)
  const { keys } = scene.template
  for (const { key } of [keys.probe, keys.hourlyProbe]) {
    const answer = await ask(`/fetch-one?from=${FROM}&to=${TO}`, { ...asking, key })
    if (answer.status !== 200) return false
    const { body, askedAt, by } = answer
    const best = shownOf(body.provider_best)
    if (typeof best === 'string') return false
    const cutoffMs = body.as_of ? Date.parse(body.as_of) : Number.POSITIVE_INFINITY
    const sight = { corridor: PROBE, askedAt, answeredBy: by, cutoffMs, graceMs: 0 }
    if (scene.ledger.fault(sight, best.seq, best.atMs) !== null) return false
  }
  return true
}

async function remembers(scene: Scene, replica: Replica): Promise<boolean> {
  const path = `/rates/history?from=${FROM}&to=${TO}&limit=1&order=desc`
  return (await ask(path, askingOf(scene, replica))).status === 200
}
