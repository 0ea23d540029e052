import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { otherHandle, stockedDatabase, untilWaiting } from '../store/samples.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'
import type { Reply } from '../support/world.ts'
import { addAccount, Replica } from './replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

const SETTINGS = { HISTORY_WORK_MAX: '2', INGEST_WORK_MAX: '2', WORK_WAITING_MAX: '3' }
const ROOM = 2 + 3
const TOO_MANY = 4

let database: FreshDatabase
let replica: Replica
let key: string

beforeAll(async () => {
  database = await stockedDatabase()
  const account = await addAccount(database, { role: 'treasury' })
  key = account.keys[0]!
  replica = await Replica.start(database, { settings: SETTINGS })
  expect((await batch()).status).toBe(201)
})
afterAll(async () => {
  await replica.service.stop()
  await database.close()
})

const row = { provider_id: 'retail-a', from: 'USD', to: 'KES', rate: 130 }
const history = (limit: number) => replica.get(`/rates/history?from=USD&to=KES&limit=${limit}`, key)
const series = (day: number) =>
  replica.get(
    `/time-series?from=USD&to=KES&start=${new Date(Date.UTC(2025, 11, day)).toISOString()}`,
    key,
  )
const batch = () => replica.post(row, key)

/** Outcomes of `asks`, with the tables locked until the last one finds no room. */
async function whileLocked(asks: () => Promise<Reply>[]): Promise<Reply[]> {
  const holder = otherHandle(database)
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = holder.sql.begin(async (tx) => {
    await tx`lock table observations in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const replies = asks()
  const early: Reply[] = []
  for (const reply of replies) void reply.then((answer) => early.push(answer))
  await until('the answers to those too many', async () => early.length === TOO_MANY)
  await untilWaiting(database, 2)
  expect(early.map(({ status, body }) => [status, body.code])).toEqual(
    Array(TOO_MANY).fill([503, 'overloaded']),
  )
  released.resolve()
  await holding
  await holder.close()
  return Promise.all(replies)
}

const codes = (replies: Reply[]) => replies.map(({ status }) => status).toSorted((a, b) => a - b)

describe('load beyond what the database can do', () => {
  test('returns 503 overloaded at once beyond the limits on work and waiting, and 200 for the rest', async () => {
    const replies = await whileLocked(() =>
      Array.from({ length: ROOM + TOO_MANY }, (_, i) => history(i + 1)),
    )
    expect(codes(replies)).toEqual([...Array(ROOM).fill(200), ...Array(TOO_MANY).fill(503)])
    for (const { status, headers } of replies)
      if (status === 503) expect(Number(headers.get('retry-after'))).toBe(1)
  })

  test('returns 503 for batches likewise, each recorded whole or not at all', async () => {
    const before = await counted()
    const replies = await whileLocked(() => Array.from({ length: ROOM + TOO_MANY }, batch))
    expect(codes(replies)).toEqual([...Array(ROOM).fill(201), ...Array(TOO_MANY).fill(503)])
    expect(await counted()).toBe(before + ROOM)
  })

  test('blocks neither recording nor live requests by a flood of history', async () => {
    const holder = otherHandle(database)
    const released = Promise.withResolvers<void>()
    const locked = Promise.withResolvers<void>()
    const holding = holder.sql.begin(async (tx) => {
      await tx`lock table reference_rates in access exclusive mode`
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const flood = Array.from({ length: 40 }, (_, i) => series(i + 1))
    const answered: Reply[] = []
    for (const reply of flood) void reply.then((answer) => answered.push(answer))
    await until('the answers to those too many', async () => answered.length >= 40 - ROOM)
    await untilWaiting(database, 2)
    expect((await batch()).status).toBe(201)
    expect((await replica.get('/rates?from=USD&to=KES', key)).status).toBe(200)
    expect((await replica.get('/admin/usage', key)).status).toBe(200)
    expect((await fetch(`${replica.service.origin}/readyz`)).status).toBe(200)
    // none of that waited for the flood, whose running requests are still blocked
    expect(codes(answered)).toEqual(Array(answered.length).fill(503))
    await untilWaiting(database, 2)
    released.resolve()
    await holding
    await Promise.all(flood)
    await until('room again', async () => (await history(1)).status === 200)
    await holder.close()
  })
})

async function counted(): Promise<number> {
  const [count] = await database.sql`select count(*)::int as rows from observations`
  return count!.rows
}
