import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Database } from '~/store/database.ts'
import { announcedSpread, createSpreadChangeStore } from '~/store/distributed/spread-changes.ts'
import { createSpreadQuoteStore } from '~/store/distributed/spread-quotes.ts'
import {
  CHANGE_ROWS_MAX,
  listenForNotifications,
  type ReceivedNotification,
} from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { NOW_MS, observation, otherHandle, stockedDatabase } from '../samples.ts'

let database: FreshDatabase
let other: Database

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
})
afterAll(async () => {
  await other.close()
  await database.close()
})
beforeEach(async () => {
  await database.sql`delete from changes`
})

const changes = () => createSpreadChangeStore(database)
const quotes = () => createSpreadQuoteStore(database)

/** Logs rows of two corridors as a recording on several servers does, and returns the log's row. */
async function logged(ids: readonly number[], atMs = NOW_MS) {
  const { sql } = database
  const added = sql`
    (select id, 1 + id % 2 as corridor_id, ${new Date(NOW_MS).toISOString()}::timestamptz
      + id * interval '1 second' as effective_from
      from unnest(${[...ids]}::int[]) as id) as added`
  await sql`${announcedSpread(database, { added, atText: new Date(atMs).toISOString() })}`
  return (await changes().from(0, 100)).at(-1)!
}

const stateOf = async (position: number) =>
  (await changes().from(position, 1))[0]?.spread?.state ?? null

describe('the log of changes of several servers', () => {
  test('has the rows of a commit, their corridors and times, and its open state', async () => {
    const row = await logged([4, 5, 7])
    expect(row).toMatchObject({
      kind: 'observations',
      atMs: NOW_MS,
      ids: [4, 5, 7],
      window: { fromMs: NOW_MS + 4000, beforeMs: NOW_MS + 7001 },
      spread: { corridorIds: [1, 2], state: 'open', witnesses: [] },
    })
    expect(await changes().unseen(10)).toEqual([row])
  })

  test('names no rows of a large commit, but the first and the last of each corridor', async () => {
    const ids = Array.from({ length: CHANGE_ROWS_MAX + 1 }, (_, i) => i + 1)
    const { ids: named, spread } = await logged(ids)
    expect(named).toBe(null)
    expect(spread!.witnesses.toSorted((a, b) => a - b)).toEqual([1, 2, 1000, 1001])
    expect((await logged(ids.slice(1))).ids).toHaveLength(CHANGE_ROWS_MAX)
  })

  test('logs nothing for no rows', async () => {
    await logged([1])
    await logged([])
    expect(await changes().from(0, 10)).toHaveLength(1)
  })

  test('is settled only if no process set the commit aside', async () => {
    const [seen, aside] = [await logged([1]), await logged([2])]
    await changes().setAside(aside.position)
    await changes().settle([seen.position, aside.position])
    expect(await stateOf(seen.position)).toBe(null)
    expect(await stateOf(aside.position)).toBe('aside')
  })

  test('sends a commit again that was set aside, once, and to the process itself too', async () => {
    const { position } = await logged([1, 2])
    const received: ReceivedNotification[] = []
    const listening = await listenForNotifications(other, {
      onNotification: (news) => received.push(news),
      onConnect() {},
    })
    await changes().tellAgain(position)
    expect(await changes().from(0, 10)).toHaveLength(1)
    await changes().setAside(position)
    await Promise.all([
      changes().tellAgain(position),
      createSpreadChangeStore(other).tellAgain(position),
    ])
    const [first, again, ...more] = await changes().from(0, 10)
    expect(more).toEqual([])
    expect(again).toEqual({
      ...first!,
      position: expect.any(Number),
      spread: { ...first!.spread!, state: 'again' },
    })
    await until('the news', async () => received.length > 0)
    expect(received).toEqual([
      { kind: 'observations', origin: expect.any(String), position: again!.position },
    ])
    listening.stop()
  })

  test('keeps commits that were not settled, however old', async () => {
    const [open, seen] = [
      await logged([1], NOW_MS - 2 * HOUR_MS),
      await logged([2], NOW_MS - HOUR_MS - 1),
    ]
    await changes().settle([seen.position])
    await logged([3])
    expect(await changes().prune(NOW_MS)).toBe(1)
    expect((await changes().from(0, 10)).map(({ position }) => position)).toContain(open.position)
  })
})

describe('the quotes of several servers', () => {
  test('are found by the ids, corridors and times of changes, and witnesses only if all are', async () => {
    const recording = await createObservationStore(database).record({
      observations: [observation({ rate: '1' }), observation({ to: 'NGN', rate: '2' })],
      idempotency: null,
    })
    const ids = recording.kind === 'recorded' ? recording.ids : []
    const [pair] = await database.sql<{ ids: number[] }[]>`
      select array_agg(id order by id) as ids from corridors`
    const spread = { corridorIds: pair!.ids, state: 'open', witnesses: ids } as const
    const window = { fromMs: observation().effectiveMs, beforeMs: observation().effectiveMs + 1 }
    const found = await quotes().ofChanges([{ ids, window, spread }])
    expect(found.map(({ to, rate }) => `${to} ${rate}`).sort()).toEqual(['KES 1', 'NGN 2'])
    const elsewhere = { ...spread, corridorIds: pair!.ids.slice(0, 1) }
    expect(await quotes().ofChanges([{ ids, window, spread: elsewhere }])).toHaveLength(1)
    expect(await quotes().hasWitnesses({ ids: null, window, spread })).toBe(true)
    expect(await quotes().hasWitnesses({ ids: null, window, spread: elsewhere })).toBe(false)
    expect(await quotes().hasWitnesses({ ids: null, window: null, spread: null })).toBe(true)
  })
})
