import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ShareAsk } from '~/domain/quota.ts'
import { createMeterStore } from '~/store/access/share-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import type { Database } from '~/store/database.ts'
import { listenForNotifications } from '~/store/notification-channel.ts'
import { addAccount } from '../../runtime/replica-scene.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { otherHandle } from '../samples.ts'

const DAY = 20_517
const LIMIT = 100

let database: FreshDatabase
const handles: Database[] = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  for (const handle of handles) await handle.close()
  await database.close()
})

/** A process that counts usage, with a slot of its own. */
async function meter() {
  const handle = otherHandle(database)
  handles.push(handle)
  const [meters, usage] = [createMeterStore(handle), createUsageStore(handle)]
  const slot = await meters.join()
  return { meters, usage, slot }
}

type Meter = Awaited<ReturnType<typeof meter>>

async function account() {
  const { id, keyIds } = await addAccount(database, {})
  return { accountId: id, keyId: keyIds[0]! }
}

type Account = Awaited<ReturnType<typeof account>>

/** Share granted to one meter that has counted some units and holds others. */
async function taken(
  { usage }: Meter,
  { accountId, keyId }: Account,
  { counted = 0, ...more }: Partial<ShareAsk> & { counted?: number } = {},
) {
  const counts = counted === 0 ? [] : [{ accountId, keyId, day: DAY, requests: counted }]
  const ask = { accountId, day: DAY, limit: LIMIT, held: 0, isMore: true, ...more }
  const { shares } = await usage.settle({ counts, asks: [ask] })
  return shares
}

describe('takeShares', () => {
  test('gives a single process half of the free units, less and less, to the last one', async () => {
    const one = await meter()
    const own = await account()
    const given: number[] = []
    for (let left = LIMIT; left > 0; left -= given.at(-1)!) {
      const [share] = await taken(one, own, { counted: given.at(-1) ?? 0 })
      expect(share).toMatchObject({ accountId: own.accountId, day: DAY, isWithin: true })
      given.push(share!.units)
    }
    expect(given).toEqual([50, 25, 13, 6, 3, 2, 1])
    expect((await taken(one, own, { counted: 1 }))[0]!.units).toBe(0)
    await one.meters.leave()
  })

  test('gives two processes no more than the limit together, concurrently and in turn', async () => {
    const all = await Promise.all([meter(), meter(), meter()])
    expect(new Set(all.map(({ slot }) => slot))).toEqual(new Set([0, 1, 2]))
    const own = await account()
    const held = [0, 0, 0]
    for (let round = 0; round < 20; round++) {
      const shares = await Promise.all(all.map((one, i) => taken(one, own, { held: held[i]! })))
      for (const [i, [share]] of shares.entries()) held[i] = share!.units
      expect(held[0]! + held[1]! + held[2]!).toBeLessThanOrEqual(LIMIT)
    }
    expect(held[0]! + held[1]! + held[2]!).toBe(LIMIT)
    for (const { meters } of all) await meters.leave()
  })

  test('asks others to return their units once none is free, and not before', async () => {
    const [one, other] = [await meter(), await meter()]
    const own = await account()
    const listener = otherHandle(database)
    const received: unknown[] = []
    const listening = await listenForNotifications(listener, {
      onNotification: ({ origin, ...news }) => void received.push(news),
      onConnect() {},
    })
    await taken(one, own, { held: LIMIT, isMore: false })
    expect(await taken(other, own)).toEqual([
      { accountId: own.accountId, day: DAY, units: 0, isWithin: true },
    ])
    await until('the news', async () => received.length > 0)
    expect(received).toEqual([{ kind: 'shares', accountIds: [own.accountId] }])
    await taken(one, own, { held: 0, isMore: false })
    expect((await taken(other, own))[0]!.units).toBe(25)
    listening.stop()
    await listener.close()
    for (const { meters } of [one, other]) await meters.leave()
  })

  test('treats the shares of dead processes as free, and gives them nothing', async () => {
    const [dead, one] = [await meter(), await meter()]
    const own = await account()
    await taken(dead, own, { held: LIMIT, isMore: false })
    await database.sql`update usage_meters set until = now() - interval '1 second'
      where slot = ${dead.slot}`
    expect((await taken(one, own))[0]!.units).toBe(50)
    expect(await taken(dead, own)).toEqual([])
    expect(await dead.meters.renew()).toBeNull()
    expect(await dead.meters.join()).toBe(dead.slot)
    expect((await taken(dead, own, { held: 50 }))[0]).toMatchObject({ units: 50, isWithin: true })
    for (const { meters } of [dead, one]) await meters.leave()
  })

  test('reports that more is counted and held than the limit, and then gives nothing', async () => {
    const one = await meter()
    const own = await account()
    const [share] = await taken(one, own, { counted: LIMIT - 1, held: 2 })
    expect(share).toEqual({ accountId: own.accountId, day: DAY, units: 2, isWithin: false })
    await one.meters.leave()
  })

  test('keeps days and accounts apart, and accepts limits of zero or less', async () => {
    const one = await meter()
    const [own, another] = [await account(), await account()]
    await taken(one, own, { held: LIMIT })
    expect((await taken(one, own, { day: DAY + 1 }))[0]!.units).toBe(50)
    expect((await taken(one, another))[0]!.units).toBe(50)
    const none = { limit: Number.MAX_SAFE_INTEGER }
    expect((await taken(one, another, none))[0]!.units).toBe(1_000_000_000)
    await one.meters.leave()
  })

  test('returns the totals of every key of the account, even of a deleted account', async () => {
    const one = await meter()
    const { id, keyIds } = await addAccount(database, { keys: 2 })
    const counts = keyIds.map((keyId) => ({ accountId: id, keyId, day: DAY, requests: 3 }))
    await one.usage.settle({ counts, asks: [] })
    const ask = { day: DAY, limit: LIMIT, held: 0, isMore: true }
    const gone = crypto.randomUUID()
    const settled = await one.usage.settle({
      counts: [],
      asks: [
        { accountId: id, ...ask },
        { accountId: gone, ...ask },
      ],
    })
    expect([...settled.totals].map(({ keyId }) => keyId).sort()).toEqual([...keyIds].sort())
    expect(settled.shares.map(({ units }) => units).sort()).toEqual([47, 50])
    await one.meters.leave()
  })
})

describe('a meter', () => {
  test('returns its slot and its shares when it leaves', async () => {
    const one = await meter()
    const own = await account()
    await taken(one, own, { held: LIMIT, isMore: false })
    await one.meters.leave()
    const next = await meter()
    expect(next.slot).toBe(one.slot)
    expect((await taken(next, own))[0]!.units).toBe(50)
    await next.meters.leave()
  })

  test('has a slot of its own, however many join at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, meter))
    expect(all.map(({ slot }) => slot).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    for (const { meters } of all) await meters.leave()
  })

  test('forgets the shares of days that are over', async () => {
    const one = await meter()
    const own = await account()
    for (const day of [DAY - 1, DAY]) await taken(one, own, { day })
    await one.meters.prune(DAY)
    const rows = await database.sql`select day::text from usage_shares`
    expect([...rows]).toEqual([{ day: '2026-03-05' }])
    await one.meters.leave()
  })
})
