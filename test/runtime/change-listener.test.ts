import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { DatabaseChange } from '~/jobs/backlog.ts'
import { ChangeListener } from '~/runtime/change-listener.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { NOW_MS, observation, otherHandle, stockedDatabase } from '../store/samples.ts'
import { clockAt } from '../support/clock.ts'
import type { FreshDatabase } from '../support/postgres.ts'

setDefaultTimeout(30_000)

let database: FreshDatabase
let changes: ChangeListener
let told: string[]

beforeEach(async () => {
  database = await stockedDatabase()
  told = []
  const refresher = {
    note: (change: DatabaseChange) => void told.push(change.kind),
    settled: async () => void told.push('settled'),
    async reload() {
      told.push('reloaded')
      return true
    },
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const clock = clockAt(new Date(NOW_MS).toISOString())
  const meter = { release: (accountIds: readonly string[]) => void told.push(`want ${accountIds}`) }
  const follower = { hear() {}, wake() {} }
  changes = new ChangeListener({ database, refresher, follower, meter, clock, log })
  await changes.start()
})
afterEach(async () => {
  changes.stop()
  await database.close()
})

describe('ChangeListener.caughtUp', () => {
  test('waits until everything that others committed before is loaded', async () => {
    const other = otherHandle(database)
    const store = createObservationStore(other)
    for (let i = 0; i < 5; i++) {
      await store.record({ observations: [observation()], idempotency: null })
      await changes.caughtUp()
      expect(told.splice(0)).toEqual(['observations', 'settled'])
    }
    await other.close()
  })

  test('does not count pulses that were sent before', async () => {
    await Promise.all([changes.job.run(), changes.caughtUp(), changes.caughtUp()])
    expect(told).toEqual(['settled', 'settled'])
  })

  test('loads everything if no pulse comes back', async () => {
    changes.stop()
    await changes.caughtUp()
    expect(told).toEqual(['reloaded'])
  })
})
