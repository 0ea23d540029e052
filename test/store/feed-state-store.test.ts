import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type FeedState, noState } from '~/domain/feed/state.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'
import { NOW_MS, otherHandle } from './samples.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let other: Database

beforeAll(async () => {
  database = await freshDatabase()
  other = otherHandle(database)
})
afterAll(async () => {
  await other.close()
  await database.close()
})

describe('the state of the feeds', () => {
  test('is null at first, and then the last saved state, for every process', async () => {
    const store = createFeedStateStore(database)
    expect(await store.load()).toBeNull()
    await store.save(noState)
    const state: FeedState = {
      ...noState,
      ranMs: NOW_MS,
      served: 'a',
      held: [
        {
          currency: 'ETB',
          perUsd: '74.736400000000000001',
          source: 'a',
          sinceMs: NOW_MS,
          upstreamMs: NOW_MS,
          standing: 57.7,
          contradictedBy: `'"\\ü`,
        },
      ],
    }
    await store.save(state)
    expect(await createFeedStateStore(other).load()).toEqual(state)
    expect(await database.sql`select * from reference_feed_state`).toHaveLength(1)
  })

  test('has no second row', async () => {
    const insert = database.sql`insert into reference_feed_state values (false, '{}')`
    await expect((async () => insert)()).rejects.toThrow('reference_feed_state_one_row')
  })
})

describe('once', () => {
  test('does the work of one process at a time; the others get null and do not wait', async () => {
    const [ours, theirs] = [createFeedStateStore(database), createFeedStateStore(other)]
    const { promise, resolve } = Promise.withResolvers<string>()
    const entered = Promise.withResolvers<void>()
    const first = ours.once(() => {
      entered.resolve()
      return promise
    })
    await entered.promise
    expect(await theirs.once(async () => 'theirs')).toBeNull()
    expect(await ours.once(async () => 'again')).toBeNull()
    resolve('ours')
    expect(await first).toBe('ours')
    expect(await theirs.once(async () => 'theirs')).toBe('theirs')
  })

  test('releases its turn when the work fails', async () => {
    const store = createFeedStateStore(database)
    const failing = store.once(() => Promise.reject(new Error('feed away')))
    await expect(failing).rejects.toThrow('feed away')
    expect(await store.once(async () => 1)).toBe(1)
  })

  test('leaves no connection behind', async () => {
    await createFeedStateStore(database).once(async () => {})
    const locks = await database.sql`
      select 1 from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
    expect(locks).toHaveLength(0)
  })
})

describe('a snapshot', () => {
  test("stores the publisher's own time as well as ours, and none for an import", async () => {
    const store = createReferenceStore(database)
    const rates = [{ currency: 'KES', perUsd: '129' }]
    await store.append({ source: 'a', fetchedMs: NOW_MS, upstreamMs: NOW_MS - 1, rates })
    await store.append({ source: 'b', fetchedMs: NOW_MS, rates })
    const rows = await database.sql`
      select extract(epoch from fetched_at - upstream_at)::float8 as age
      from reference_snapshots order by source`
    expect(rows.map(({ age }) => age)).toEqual([0.001, null])
  })
})
