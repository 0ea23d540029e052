import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMeterStore } from '~/store/access/share-store.ts'
import type { Database } from '~/store/database.ts'
import { createSlotStore } from '~/store/stream/slot-store.ts'
import { addAccount } from '../../runtime/replica-scene.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { otherHandle } from '../samples.ts'

let database: FreshDatabase
const handles: Database[] = []

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  for (const handle of handles) await handle.close()
  await database.close()
})

/** A process with a meter, and its store of streams. */
async function process() {
  const handle = otherHandle(database)
  handles.push(handle)
  const meters = createMeterStore(handle)
  await meters.join()
  return { ...createSlotStore(handle), meters }
}

const account = async () => (await addAccount(database, {})).id

const slot = (accountId: string) => ({ id: crypto.randomUUID(), accountId })

const written = async (accountId: string) =>
  (await database.sql`select id from open_streams where account_id = ${accountId}`).length

describe('take', () => {
  test('counts the streams of an account in other live processes alone', async () => {
    const [a, b] = [await process(), await process()]
    const [own, other] = [await account(), await account()]
    expect(await a.take(slot(own), 20)).toBe(0)
    expect(await a.take(slot(own), 20)).toBe(0)
    expect(await a.take(slot(other), 20)).toBe(0)
    expect(await b.take(slot(own), 20)).toBe(2)
    await a.meters.leave()
    expect(await b.take(slot(own), 20)).toBe(0)
    expect(await written(own)).toBe(2)
  })

  test('stores nothing if the others use all that is allowed', async () => {
    const [a, b] = [await process(), await process()]
    const own = await account()
    for (let i = 0; i < 2; i++) await a.take(slot(own), 2)
    expect(await b.take(slot(own), 2)).toBe(2)
    expect(await written(own)).toBe(2)
  })

  test('gives concurrent processes no more than is allowed', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, process))
    const own = await account()
    const others = await Promise.all(
      processes.flatMap((one) => [one.take(slot(own), 2), one.take(slot(own), 2)]),
    )
    expect(others.filter((count) => count < 2).length).toBe(await written(own))
    expect(await written(own)).toBeLessThanOrEqual(4)
  })

  test('treats a process without a meter as absent', async () => {
    const [a, b] = [await process(), await process()]
    const own = await account()
    await a.meters.leave()
    expect(await a.take(slot(own), 2)).toBe(0)
    expect(await b.take(slot(own), 2)).toBe(0)
    expect(await written(own)).toBe(1)
  })
})

describe('free and declare', () => {
  test('delete freed slots, and ignore unknown ones', async () => {
    const a = await process()
    const own = await account()
    const [one, two] = [slot(own), slot(own)]
    for (const each of [one, two]) await a.take(each, 5)
    await a.free([one.id, crypto.randomUUID()])
    await a.free([])
    expect(await written(own)).toBe(1)
  })

  test('set the slots of a process to the declared ones, and leave those of others', async () => {
    const [a, b] = [await process(), await process()]
    const own = await account()
    await b.take(slot(own), 5)
    const [kept, lost] = [slot(own), slot(own)]
    for (const each of [kept, lost]) await a.take(each, 5)
    await a.declare([kept, slot(own), slot(own)])
    expect(await written(own)).toBe(4)
    await a.declare([])
    expect(await written(own)).toBe(1)
  })
})
