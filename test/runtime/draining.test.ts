import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { setTimeout as delay } from 'node:timers/promises'
import { otherHandle, stockedDatabase, untilWaiting } from '../store/samples.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import { addAccount, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 130 }
const STOP_MS_MAX = 10_000

let database: FreshDatabase
let key: string
let running: Replica[]

beforeEach(async () => {
  database = await stockedDatabase()
  key = (await addAccount(database, { role: 'treasury' })).keys[0]!
  running = []
})
afterEach(async () => {
  for (const replica of running) await replica.service.stop()
  await database.close()
})

async function start(): Promise<Replica> {
  const settings = { SHUTDOWN_DELAY: '1s', QUOTA_ENTERPRISE: '1000000' }
  const replica = await Replica.start(database, { settings })
  running.push(replica)
  return replica
}

/** Stops a replica; until a balancer has seen 503 at /readyz, it still sends requests. */
async function stop(replica: Replica, isLeft = async () => true): Promise<void> {
  await replica.service.drain!()
  await until('the end of what was sent there', isLeft)
  running = running.filter((other) => other !== replica)
  await replica.service.stop()
}

const ready = ({ service }: Replica) => fetch(`${service.origin}/readyz`)

describe('an announced stop', () => {
  test('returns 503 at /readyz first, while all else is served and connections close', async () => {
    const replica = await start()
    expect((await ready(replica)).status).toBe(200)
    expect((await replica.get('/providers', key)).headers.get('connection')).not.toBe('close')
    const draining = replica.service.drain!()
    const reply = await ready(replica)
    expect(reply.status).toBe(503)
    expect(await reply.json()).toEqual({ error: expect.any(String), code: 'stopping' })
    const { status, headers } = await replica.get('/providers', key)
    expect([status, headers.get('connection')]).toEqual([200, 'close'])
    expect((await fetch(`${replica.service.origin}/healthz`)).status).toBe(200)
    await draining
    expect((await replica.get('/providers', key)).status).toBe(200)
  })

  test('returns 201 for a batch that is in progress when the port closes, with its row recorded', async () => {
    const replica = await start()
    expect((await replica.post(row, key)).status).toBe(201)
    const holder = otherHandle(database)
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = holder.sql.begin(async (tx) => {
      await tx`select 1 from rollups for update`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const reply = replica.post({ ...row, rate: 131 }, key)
    await untilWaiting(database, 1)
    const stopped = stop(replica)
    await until('the port closed', async () => !(await ready(replica).catch(() => null)))
    released.resolve()
    expect((await reply).status).toBe(201)
    await Promise.all([stopped, holding])
    const rows = await database.sql`select 1 from observations where rate = 131`
    expect(rows).toHaveLength(1)
    await holder.close()
  })

  test('loses no request while replicas are replaced one by one', async () => {
    await Promise.all([start(), start()])
    let isOver = false
    const statuses: number[] = []
    const known = new Map<Replica, boolean>()
    const underWay = new Map<Replica, number>()
    const watching = (async () => {
      while (!isOver) {
        for (const replica of [...running])
          known.set(replica, (await ready(replica).catch(() => null))?.status === 200)
        await delay(100)
      }
    })()
    const clients = Array.from({ length: 4 }, async (_, i) => {
      for (let n = 0; !isOver; n++) {
        const able = running.filter((replica) => known.get(replica))
        const replica = able[n % able.length]
        if (!replica) {
          await delay(10)
          continue
        }
        underWay.set(replica, (underWay.get(replica) ?? 0) + 1)
        const sent =
          i === 0
            ? replica.post({ ...row, rate: n + 1 }, key)
            : replica.get('/rates?from=USD&to=KES', key)
        statuses.push((await sent).status)
        underWay.set(replica, underWay.get(replica)! - 1)
      }
    })
    const untilServing = (replica: Replica) => {
      const wanted = statuses.length + 30
      const isServing = async () => known.get(replica) === true && statuses.length > wanted
      return until('answers while it is known', isServing)
    }
    for (const replica of [...running]) {
      await untilServing(replica)
      const startMs = performance.now()
      await stop(replica, async () => !known.get(replica) && !underWay.get(replica))
      expect(performance.now() - startMs).toBeLessThan(STOP_MS_MAX)
      await untilServing(await start())
    }
    isOver = true
    await Promise.all([watching, ...clients])
    expect(statuses.length).toBeGreaterThan(100)
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([])
  })
})
