import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS, MINUTE_MS, yearsBeforeMs } from '~/domain/duration.ts'
import { instantText } from '~/store/encoding.ts'
import { createKnownStore } from '~/store/known/known-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { observation, stockedDatabase } from './samples.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
}, TEST_MS_MAX)
afterAll(() => database.close())

/** Records a price at a time, by a clock that is ahead. */
async function record(rate: string, aheadMs: number): Promise<void> {
  const clock = { now: () => Date.now() + aheadMs }
  const observations = [observation({ rate, effectiveMs: Date.now() - 2 * MINUTE_MS })]
  await createObservationStore(database, clock).record({ observations, idempotency: null })
}

const lateOnes = () => database.sql<{ said_at: string; known_at: string }[]>`
  select said_at, known_at from late_commits`

test('what is recorded after a clock was turned back by more than a day is known at once', async () => {
  await record('1', 365 * DAY_MS)
  await record('2', -20)
  await record('3', -20)
  const rates = await createKnownStore(database).at(Date.now(), async ({ quotes }) =>
    (await quotes([{ from: 'USD', to: 'KES' }])).map(({ rate }) => rate),
  )
  expect([await lateOnes(), rates]).toMatchObject([[], [3]])
})

test('what is recorded after a commit of a clock that is hours ahead is known after that one', async () => {
  await record('4', 23 * HOUR_MS)
  await record('5', -20)
  const [late] = await lateOnes()
  expect(Date.parse(late!.known_at) - Date.parse(late!.said_at)).toBeGreaterThan(22 * HOUR_MS)
})

test('late commits go once nothing before them can be requested any more, and are kept until then', async () => {
  const limitMs = yearsBeforeMs(Date.now(), 2)
  for (const knownMs of [limitMs - DAY_MS, limitMs, limitMs + 1])
    await database.sql`insert into late_commits (kind, said_at, known_at)
      values ('observations', ${instantText(knownMs - HOUR_MS)}, ${instantText(knownMs)})`
  const store = createRetentionStore(database)
  const left = async () => {
    await store.pruneWithdrawals(limitMs)
    return (await lateOnes()).filter((one) => Date.parse(one.known_at) <= limitMs + 1).length
  }
  const finish = (beforeMs: number, observations: number) =>
    store.finish({ actor: 'a test', beforeMs, observations })
  expect(await left()).toBe(3)
  await finish(limitMs, 0)
  expect(await left()).toBe(3)
  await finish(limitMs, 1)
  expect(await left()).toBe(1)
  await expect(database.sql`delete from late_commits`.execute()).rejects.toThrow('append-only')
})
