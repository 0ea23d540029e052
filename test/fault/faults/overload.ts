import { createConnection, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, Stage } from '../fault.ts'
import { newKey } from '../template.ts'

const TRICKLE_MS = 300
const FLOODERS = 4
const ASKERS = 40

/**
 * Clients that never finish their request, clients that send nothing, a flood of wrong keys, and
 * more requests about the past than the database can handle, all at once.
 */
export const overload: Fault = {
  name: 'overload',
  rules: { allowed: { past: [503], write: [503], flood: [401, 429, 503] }, lagging: [] },
  async play(stage) {
    const { scene, isSmall, note } = stage
    const endAt = performance.now() + (isSmall ? 3_000 : 20_000)
    const sockets = scene.replicas.flatMap(({ origin }) => clingers(origin, isSmall ? 60 : 300))
    const floods = Array.from({ length: FLOODERS }, () => flood(stage, endAt))
    const asks = Array.from({ length: ASKERS }, () => askPast(stage, endAt))
    while (performance.now() < endAt) {
      for (const socket of sockets) if (socket.writable) socket.write('x')
      await delay(TRICKLE_MS)
    }
    const counts = await Promise.all(floods)
    await Promise.all(asks)
    for (const socket of sockets) socket.destroy()
    note('slow clients', sockets.length)
    note(
      'wrong keys',
      counts.reduce((sum, count) => sum + count, 0),
    )
  },
}

/** Idle connections; every other one has begun a request. */
function clingers(origin: string, count: number): Socket[] {
  const { hostname, port } = new URL(origin)
  return Array.from({ length: count }, (_, i) => {
    const socket = createConnection(Number(port), hostname)
    socket.on('error', () => {})
    if (i % 2 === 0)
      socket.write('GET /api/v1/rates?from=USD&to=KES HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    return socket
  })
}

async function flood({ load }: Stage, endAt: number): Promise<number> {
  let count = 0
  for (; performance.now() < endAt; count++) {
    const answer = await load.ask('flood', '/rates?from=USD&to=KES', {
      ...{ caller: 'live', key: newKey() },
    })
    load.isSuccess(answer, 'flood')
    await delay(2)
  }
  return count
}

async function askPast({ load }: Stage, endAt: number): Promise<void> {
  while (performance.now() < endAt) {
    const path = '/time-series?from=USD&to=KES&interval=PT1H&period=7d'
    load.isSuccess(await load.ask('past', path, { caller: 'probe' }), 'past')
    await delay(20)
  }
}
