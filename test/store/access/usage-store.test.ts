import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '~/domain/audit.ts'
import type { UsageCount } from '~/domain/quota.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { otherHandle, untilWaiting } from '../samples.ts'

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

/** Result of settling counts alone. */
const add = async (to: ReturnType<typeof createUsageStore>, counts: readonly UsageCount[]) => [
  ...(await to.settle({ counts, asks: [] })).totals,
]

type Begin = (work: (tx: unknown) => Promise<unknown>) => Promise<unknown>

/** The store of a handle whose transactions go through `begin` until it is mended. */
function brokenStore(begin: Begin) {
  let isBroken = true
  const sql = new Proxy(database.sql, {
    get: (target, name) => (name === 'begin' && isBroken ? begin : Reflect.get(target, name)),
  })
  const mend = () => {
    isBroken = false
  }
  return { store: createUsageStore({ ...database, sql }), mend }
}

const begin: Begin = (work) => database.sql.begin((tx) => work(tx))
const closed = () => Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' })

describe('settle, after a commit whose response was lost', () => {
  test('does not add committed counts again, and returns the totals', async () => {
    const [mine, other] = [await newKey(), await newKey()]
    const { store, mend } = brokenStore(async (work) => {
      await begin(work)
      throw closed()
    })
    const counts = (own: number, others: number): UsageCount[] => [
      { ...mine, day: DAY, requests: own },
      { ...other, day: DAY, requests: others },
    ]
    await expect(add(store, counts(3, 0))).rejects.toThrow('closed')
    await expect(add(store, counts(5, 1))).rejects.toThrow('closed')
    mend()
    const totals = await add(store, counts(5, 2))
    expect(totals.map(({ requests }) => requests).sort()).toEqual([2, 5])
    const [next] = counts(1, 0)
    expect(await add(store, [next!])).toEqual([{ ...next!, requests: 6 }])
  })

  test('adds counts again that were rolled back', async () => {
    const counts = [{ ...(await newKey()), day: DAY, requests: 3 }]
    const { store, mend } = brokenStore((work) =>
      begin(async (tx) => {
        await work(tx)
        throw closed()
      }),
    )
    await expect(add(store, counts)).rejects.toThrow('closed')
    mend()
    expect(await add(store, counts)).toEqual(counts)
  })

  test('adds counts again that the server does not know', async () => {
    const counts = [{ ...(await newKey()), day: DAY, requests: 3 }]
    const { store, mend } = brokenStore(async (work) => {
      const other = (rows: object[]) => Promise.resolve(rows)
      const foreign = [[{ id: '999999999' }], []]
      await work(() => other(foreign.shift()!))
      throw closed()
    })
    await expect(add(store, counts)).rejects.toThrow('closed')
    mend()
    expect(await add(store, counts)).toEqual(counts)
  })

  test('waits while the server is still committing', async () => {
    const mine = await newKey()
    const gate = Promise.withResolvers<void>()
    let ended: Promise<unknown> = Promise.resolve()
    const { store, mend } = brokenStore(
      (work) =>
        new Promise((_resolve, reject) => {
          ended = begin(async (tx) => {
            await work(tx)
            reject(closed())
            await gate.promise
          })
        }),
    )
    await expect(add(store, [{ ...mine, day: DAY, requests: 3 }])).rejects.toThrow('closed')
    mend()
    const counts = [{ ...mine, day: DAY, requests: 4 }]
    await expect(add(store, counts)).rejects.toThrow('not known yet')
    gate.resolve()
    await ended
    expect(await add(store, counts)).toEqual(counts)
  })
})

describe('settle', () => {
  test('returns the new totals, over several writes', async () => {
    const key = await newKey()
    expect(await add(store, [{ ...key, day: DAY, requests: 3 }])).toEqual([
      { ...key, day: DAY, requests: 3 },
    ])
    expect(await add(store, [{ ...key, day: DAY, requests: 4 }])).toEqual([
      { ...key, day: DAY, requests: 7 },
    ])
  })

  test('accepts a negative count, for units given back', async () => {
    const key = await newKey()
    await add(store, [{ ...key, day: DAY, requests: 3 }])
    expect(await add(store, [{ ...key, day: DAY, requests: -2 }])).toEqual([
      { ...key, day: DAY, requests: 1 },
    ])
  })

  test('adds up several counts of one key and day, and keeps days apart', async () => {
    const key = await newKey()
    const totals = await add(store, [
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

  test('drops the counts that belong to no key, and only those', async () => {
    const key = await newKey()
    const gone = { accountId: key.accountId, keyId: crypto.randomUUID() }
    const foreign = { accountId: (await newKey()).accountId, keyId: key.keyId }
    const totals = await add(store, [
      { ...gone, day: DAY, requests: 1 },
      { ...foreign, day: DAY, requests: 1 },
      { ...key, day: DAY, requests: 1 },
    ])
    expect(totals).toEqual([{ ...key, day: DAY, requests: 1 }])
  })

  test('writes nothing without counts', async () => {
    expect(await add(store, [])).toEqual([])
  })

  test('loses no unit and never deadlocks when processes write the same keys at once', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, newKey))
    const counts: UsageCount[] = keys.map((key) => ({ ...key, day: DAY, requests: 1 }))
    const other = otherHandle(database)
    const rounds = Array.from({ length: 20 }, () => [
      add(store, counts),
      add(createUsageStore(other), counts.toReversed()),
    ])
    await Promise.all(rounds.flat())
    const totals = await add(store, counts)
    expect(totals.map(({ requests }) => requests)).toEqual(keys.map(() => 41))
    await other.close()
  })
})

describe('ofAccounts', () => {
  test('returns the counts of those accounts on those days, for all their keys, and nothing else', async () => {
    const [one, other] = [await newKey(), await newKey()]
    const second = await createAccountStore(database).createKey({
      accountId: one.accountId,
      name: 'second',
      hash: String(++names).padStart(64, '0'),
      actor: COMMAND_LINE,
    })
    const keys = [one, { accountId: one.accountId, keyId: second!.id }]
    for (const key of [...keys, other])
      for (const day of [DAY - 1, DAY, DAY + 1, DAY + 2])
        await add(store, [{ ...key, day, requests: 2 }])
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
  test('returns that day and later ones only', async () => {
    const key = await newKey()
    for (const day of [DAY - 1, DAY, DAY + 1]) await add(store, [{ ...key, day, requests: 1 }])
    const days = (await store.since(DAY)).filter(({ keyId }) => keyId === key.keyId)
    expect(days.map(({ day }) => day).sort()).toEqual([DAY, DAY + 1])
    expect(days[0]?.accountId).toBe(key.accountId)
  })

  test('is empty after the last day', async () => {
    expect(await store.since(DAY + 1000)).toEqual([])
  })

  test('counts days from 1970-01-01', async () => {
    const key = await newKey()
    await add(store, [{ ...key, day: 0, requests: 9 }])
    const [row] = await database.sql`select day::text from usage where key_id = ${key.keyId}`
    expect(row).toEqual({ day: '1970-01-01' })
    expect(await store.since(0)).toContainEqual({ ...key, day: 0, requests: 9 })
  })
})

describe('settle, when a migration needs the tables of keys and of usage', () => {
  test('gives way to the migration in a deadlock, and adds the counts once when repeated', async () => {
    const counts = [{ ...(await newKey()), day: DAY, requests: 3 }]
    const refused = await database.sql.begin(async (tx) => {
      await tx`set local deadlock_timeout = '1min'`
      await tx`lock table keys in access exclusive mode`
      const settling = add(store, counts).catch((error) => error.code)
      await untilWaiting(database, 1)
      await tx`lock table usage in access exclusive mode`
      return settling
    })
    expect(refused).toBe(DEADLOCK_DETECTED)
    expect(await add(store, counts)).toEqual(counts)
  })
})

const DEADLOCK_DETECTED = '40P01'
