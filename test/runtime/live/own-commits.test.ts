import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { drizzle } from 'drizzle-orm/postgres-js'
import { ANYWHERE } from '~/memory/live/live.ts'
import { connect } from '~/store/database.ts'
import { CHANGE_ROWS_MAX } from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { NOW_MS, observation, otherHandle, stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX, until } from '../../support/until.ts'
import { AT, LiveReplica } from './live-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let running: LiveReplica[] = []
/** Number of times that the first replica read the log. */
let reads = 0

beforeEach(async () => {
  database = await stockedDatabase()
})
afterEach(async () => {
  await Promise.all(running.map((replica) => replica.stop()))
  running = []
  await database.close()
})

/** Two replicas; from now on the first one's reads of the log are counted. */
async function replicas() {
  const onQuery = (query: string) => {
    if (query.includes('from changes where position >=')) reads++
  }
  const sql = connect(database.url, { connectionsMax: 4, onQuery })
  const close = () => sql.end({ timeout: 1 })
  const counted = { ...otherHandle(database), sql, db: drizzle(sql), close }
  for (const handle of [counted, otherHandle(database)])
    running.push(await LiveReplica.start(handle, { clock: clockAt(AT) }))
  const [first, second] = [running[0]!, running[1]!]
  for (const { core } of running) core.live.watch(ANYWHERE)
  await Promise.all(running.map((one) => one.core.follower.caughtUp()))
  reads = 0
  return { first, second }
}

const caughtUp = () => Promise.all(running.map((one) => one.caughtUp()))

test('commits of one process are applied in their order without reading the log', async () => {
  const { first, second } = await replicas()
  for (let i = 1; i <= 10; i++) await first.record(observation({ rate: `${i}` }))
  expect(first.steps).toHaveLength(10)
  expect(reads).toBe(0)
  await caughtUp()
  expect(second.received).toEqual(first.received)
})

test('the log is read if another process committed in between', async () => {
  const { first, second } = await replicas()
  const handle = otherHandle(database)
  const store = createObservationStore(handle, second.clock)
  await store.record({ observations: [observation({ rate: '7' })], idempotency: null })
  await first.record(observation({ rate: '8' }))
  expect(first.steps.map(({ quotes }) => quotes.map(({ rate }) => rate))).toEqual([[7], [8]])
  expect(reads).toBeGreaterThan(0)
  await caughtUp()
  expect(second.received).toEqual(first.received)
  await handle.close()
})

test('a commit whose response was lost is served without another one', async () => {
  const { first } = await replicas()
  const { follower } = first.core
  const store = createObservationStore(first.database, first.clock)
  const lost = follower.committing(async () => {
    await store.record({ observations: [observation({ rate: '9' })], idempotency: null })
    await first.database.sql`select 1`
    throw new Error('the answer was lost')
  })
  await expect(lost).rejects.toThrow('the answer was lost')
  await until('the lost row', async () => first.steps.length === 1)
  expect(first.steps[0]!.quotes.map(({ rate }) => rate)).toEqual([9])
})

test('a commit of more rows than the log names is served at once, and is a gap for all', async () => {
  const { first, second } = await replicas()
  const rows = Array.from({ length: CHANGE_ROWS_MAX + 1 }, (_, i) =>
    observation({ rate: `${i + 1}`, effectiveMs: NOW_MS - i }),
  )
  await first.record(...rows)
  expect(first.core.memory.current.quotes.book('USD', 'KES')?.size).toBe(1)
  expect(reads).toBe(0)
  await caughtUp()
  expect([first.steps, second.steps]).toEqual([[], []])
  expect(first.gaps).toEqual([first.core.live.position])
  expect(second.gaps).toEqual(first.gaps)
})

test('a commit on a server that is behind this memory is served, as a gap', async () => {
  const { first } = await replicas()
  const { memory, live } = first.core
  memory.positions.reach(live.position + 1e12)
  await first.record(observation({ rate: '5' }))
  expect(memory.current.quotes.book('USD', 'KES')?.size).toBe(1)
  expect(first.gaps).toEqual([live.position])
})

test('listeners that watch nothing get one gap once they watch, and not each commit', async () => {
  const replica = await LiveReplica.start(otherHandle(database), {
    clock: clockAt(AT),
    isWatched: false,
  })
  running.push(replica)
  const { live } = replica.core
  const gaps = replica.gaps.length
  for (let i = 1; i <= 5; i++) await replica.record(observation({ rate: `${i}` }))
  expect([replica.steps, replica.gaps.slice(gaps)]).toEqual([[], []])
  live.watch(ANYWHERE)
  expect(replica.gaps.slice(gaps)).toEqual([live.position])
  await replica.record(observation({ rate: '6' }))
  expect(replica.steps.map(({ quotes }) => quotes.map(({ rate }) => rate))).toEqual([[6]])
  expect(replica.gaps).toHaveLength(gaps + 1)
})
