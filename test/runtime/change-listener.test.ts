import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { DatabaseChange } from '~/jobs/refresh.ts'
import { ChangeListener } from '~/runtime/change-listener.ts'
import type { Database } from '~/store/database.ts'
import { announced } from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { observation, otherHandle, stockedDatabase } from '../store/samples.ts'
import { KeptLog } from '../support/log.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX, until } from '../support/until.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let changes: ChangeListener
let received: string[]

beforeEach(async () => {
  database = await stockedDatabase()
  received = []
  const refresher = { note: (change: DatabaseChange) => void received.push(change.kind) }
  const meter = {
    release: (accountIds: readonly string[]) => void received.push(`want ${accountIds}`),
  }
  const follower = {
    receive: ({ kind }: { kind: string }, isOwn: boolean) =>
      void received.push(`${isOwn ? 'own' : 'another'} ${kind}`),
    check: async () => void received.push('check'),
  }
  changes = new ChangeListener({ database, refresher, follower, meter, log: new KeptLog() })
  await changes.start()
})
afterEach(async () => {
  changes.stop()
  await database.close()
})

const record = (by: Database) =>
  createObservationStore(by).record({ observations: [observation()], idempotency: null })
const firstReceived = async (count: number) => {
  await until('the notifications', async () => received.length >= count)
  return received.splice(0)
}

test('a change in the log wakes its follower, whoever committed it', async () => {
  const other = otherHandle(database)
  await record(other)
  expect(await firstReceived(1)).toEqual(['another observations'])
  await record(database)
  expect(await firstReceived(1)).toEqual(['own observations'])
  await other.close()
})

test('a change outside the log is loaded if another process reported it, and access always is', async () => {
  const other = otherHandle(database)
  const say = (by: Database, kind: 'feeds' | 'access') => by.sql`select ${announced(by, { kind })}`
  for (const kind of ['feeds', 'access'] as const)
    for (const by of [database, other]) await say(by, kind)
  expect(await firstReceived(3)).toEqual(['feeds', 'access', 'access'])
  await other.close()
})

test('everything is checked after a lost connection', async () => {
  await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where query like 'listen%' and datname = current_database()`
  expect((await firstReceived(2)).sort()).toEqual(['check', 'everything'])
})
