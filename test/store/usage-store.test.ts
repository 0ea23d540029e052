import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { UsageCount } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/account-store.ts'
import { createUsageStore } from '~/store/usage-store.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { otherHandle } from './samples.ts'

let database: FreshDatabase
let store: ReturnType<typeof createUsageStore>
let names = 0

beforeAll(async () => {
  database = await freshDatabase()
  store = createUsageStore(database)
})
afterAll(() => database.close())

async function newKey(): Promise<{ accountId: string; keyId: string }> {
  const name = String(++names)
  const { account, key } = await createAccountStore(database).create({
    email: `${name}@example.com`,
    plan: 'free',
    role: 'member',
    keyName: 'first',
    keyHash: name.padStart(64, '0'),
  })
  return { accountId: account.id, keyId: key.id }
}

const DAY = 20_517

describe('add', () => {
  test('answers the new totals, over several writes', async () => {
    const key = await newKey()
    expect(await store.add([{ ...key, day: DAY, requests: 3 }])).toEqual([
      { ...key, day: DAY, requests: 3 },
    ])
    expect(await store.add([{ ...key, day: DAY, requests: 4 }])).toEqual([
      { ...key, day: DAY, requests: 7 },
    ])
  })

  test('takes a negative count, of units given back', async () => {
    const key = await newKey()
    await store.add([{ ...key, day: DAY, requests: 3 }])
    expect(await store.add([{ ...key, day: DAY, requests: -2 }])).toEqual([
      { ...key, day: DAY, requests: 1 },
    ])
  })

  test('adds up several counts of one key and day, and keeps days apart', async () => {
    const key = await newKey()
    const totals = await store.add([
      { ...key, day: DAY, requests: 1 },
      { ...key, day: DAY + 1, requests: 5 },
      { ...key, day: DAY, requests: 2 },
    ])
    expect(new Map(totals.map(({ day, requests }) => [day, requests]))).toEqual(
      new Map([
        [DAY, 3],
        [DAY + 1, 5],
      ]),
    )
  })

  test('drops what belongs to no key, and only that', async () => {
    const key = await newKey()
    const gone = { accountId: key.accountId, keyId: crypto.randomUUID() }
    const foreign = { accountId: (await newKey()).accountId, keyId: key.keyId }
    const totals = await store.add([
      { ...gone, day: DAY, requests: 1 },
      { ...foreign, day: DAY, requests: 1 },
      { ...key, day: DAY, requests: 1 },
    ])
    expect(totals).toEqual([{ ...key, day: DAY, requests: 1 }])
  })

  test('writes nothing for no counts', async () => {
    expect(await store.add([])).toEqual([])
  })

  test('loses no unit and never deadlocks when processes write the same keys at once', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, newKey))
    const counts: UsageCount[] = keys.map((key) => ({ ...key, day: DAY, requests: 1 }))
    const other = otherHandle(database)
    const rounds = Array.from({ length: 20 }, () => [
      store.add(counts),
      createUsageStore(other).add(counts.toReversed()),
    ])
    await Promise.all(rounds.flat())
    const totals = await store.add(counts)
    expect(totals.map(({ requests }) => requests)).toEqual(keys.map(() => 41))
    await other.close()
  })
})

describe('ofAccounts', () => {
  test('answers what those accounts counted on those days, all their keys, and nothing else', async () => {
    const [one, other] = [await newKey(), await newKey()]
    const second = await createAccountStore(database).createKey({
      accountId: one.accountId,
      name: 'second',
      hash: String(++names).padStart(64, '0'),
    })
    const keys = [one, { accountId: one.accountId, keyId: second!.id }]
    for (const key of [...keys, other])
      for (const day of [DAY - 1, DAY, DAY + 1, DAY + 2])
        await store.add([{ ...key, day, requests: 2 }])
    const rows = await store.ofAccounts([one.accountId], { day: DAY, days: 2 })
    const expected = keys.flatMap((key) =>
      [DAY, DAY + 1].map((day) => ({ ...key, day, requests: 2 })),
    )
    expect(rows).toHaveLength(4)
    for (const row of expected) expect(rows).toContainEqual(row)
    expect(await store.ofAccounts([], { day: DAY, days: 2 })).toEqual([])
  })
})

describe('since', () => {
  test('answers that day and later ones only', async () => {
    const key = await newKey()
    for (const day of [DAY - 1, DAY, DAY + 1]) await store.add([{ ...key, day, requests: 1 }])
    const days = (await store.since(DAY)).filter(({ keyId }) => keyId === key.keyId)
    expect(days.map(({ day }) => day).sort()).toEqual([DAY, DAY + 1])
    expect(days[0]?.accountId).toBe(key.accountId)
  })

  test('is empty after the last day', async () => {
    expect(await store.since(DAY + 1000)).toEqual([])
  })

  test('counts days from 1970-01-01', async () => {
    const key = await newKey()
    await store.add([{ ...key, day: 0, requests: 9 }])
    const [row] = await database.sql`select day::text from usage where key_id = ${key.keyId}`
    expect(row).toEqual({ day: '1970-01-01' })
    expect(await store.since(0)).toContainEqual({ ...key, day: 0, requests: 9 })
  })
})
