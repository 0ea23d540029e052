import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import type { Catalogue } from '~/domain/provider.ts'
import { compareText } from '~/domain/rank.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createChangeStore } from '~/store/change/change-store.ts'
import type { Database } from '~/store/database.ts'
import {
  type Listening,
  listenForNotifications,
  type ReceivedNotification,
} from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { inArrays, NOW_MS, observation, otherHandle, stockedDatabase } from '../samples.ts'

let database: FreshDatabase
let other: Database
let received: ReceivedNotification[] = []
let listening: Listening

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
  const onNotification = (news: ReceivedNotification) => void received.push(news)
  listening = await listenForNotifications(database, { onNotification, onConnect() {} })
})
afterAll(async () => {
  listening.stop()
  await other.close()
  await database.close()
})
beforeEach(async () => {
  await database.sql`delete from changes where position < (select max(position) from changes)`
  received = []
})

const changes = () => createChangeStore(database)

/** Rows logged since the test began. */
const logged = async () => (await changes().from(0, 10_000)).slice(1)

/** Notifications of rows; those of the previous test may still arrive. */
const notificationOf = (positions: readonly (number | null)[]) =>
  received.flatMap((news) =>
    'position' in news && positions.includes(news.position)
      ? [{ kind: news.kind, position: news.position }]
      : [],
  )

const record = (through: Database, count = 1, atMs = NOW_MS) =>
  createObservationStore(through, { now: () => atMs }).record({
    observations: Array.from({ length: count }, () => observation()),
    idempotency: null,
  })

const deadlocks = async () => {
  const [row] = await database.sql<{ deadlocks: string }[]>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return Number(row!.deadlocks)
}

describe('the log of changes', () => {
  test('returns the position before, even if its commit came while the statement waited', async () => {
    const { promise: isLogged, resolve: logged } = Promise.withResolvers<number>()
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const first = database.sql.begin(async (tx) => {
      const [row] = await tx<
        { position: string }[]
      >`select log_change('tick', null, now()) as position`
      logged(Number(row!.position))
      await mayCommit
    })
    const position = await isLogged
    const second = record(other)
    await until('a wait for the lock', async () => {
      const [row] = await database.sql`
        select count(*) as count from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      return Number(row!.count) === 1
    })
    commit()
    await first
    expect(await second).toMatchObject({ previous: position, atMs: NOW_MS })
    const { position: next } = (await second) as { position: number }
    expect(await record(database)).toMatchObject({ previous: next })
  })

  test('has the catalogue as of each of its commits, whatever was committed since', async () => {
    const store = createCatalogueStore(other)
    const { currencies, providers } = await store.load()
    const loaded = []
    for (const [isActive, rate] of [
      [false, 3.6725],
      [true, 655.957],
    ] as const) {
      const peg = { to: 'USD', rate }
      await store.apply({
        currencies: currencies.map((one) => (one.code === 'NGN' ? { ...one, peg } : one)),
        providers: providers.map((one) => ({ ...one, isActive, paymentMethods: ['cash', 'card'] })),
      })
      loaded.push(await store.load())
    }
    const byName = (catalogue: Required<Catalogue> | Catalogue | null) => ({
      currencies: catalogue!.currencies.toSorted((a, b) => compareText(a.code, b.code)),
      providers: catalogue!.providers.toSorted((a, b) => compareText(a.id, b.id)),
      activity: catalogue!.activity,
    })
    const rows = (await logged()).filter(({ kind }) => kind === 'catalogue')
    expect(rows.map(({ catalogue }) => byName(catalogue))).toEqual(loaded.map(byName))
    expect(loaded[0]!.activity.length).toBe(providers.length)
    await store.apply({ currencies, providers })
  })

  test("has a row for each commit, with its rows and the writer's time", async () => {
    const recorded = await record(other, 3, NOW_MS + 7)
    const [reference] = await createReferenceStore(other).append({
      source: 'feed',
      fetchedMs: NOW_MS,
      rates: [{ currency: 'KES', perUsd: '129' }],
    })
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    const rows = await logged()
    expect(rows).toMatchObject([
      {
        kind: 'observations',
        ids: 'ids' in recorded ? recorded.ids : null,
        atMs: NOW_MS + 7,
        window: { fromMs: NOW_MS, beforeMs: NOW_MS + 1 },
      },
      { kind: 'references', ids: [reference!.id], atMs: NOW_MS, window: null },
      { kind: 'catalogue', ids: null },
    ])
  })

  test('has no row for a write that recorded nothing', async () => {
    const { account } = await createAccountStore(other).create({
      email: 'log@example.com',
      plan: 'free',
      role: 'treasury',
      keyName: 'k',
      keyHash: '0'.repeat(64),
    })
    const idempotency = { accountId: account.id, key: 'k', bodyHash: 'h', nowMs: NOW_MS }
    const store = createObservationStore(other)
    await store.record({ observations: [observation()], idempotency })
    await store.record({ observations: [observation()], idempotency })
    await createReferenceStore(other).append({ source: 'f', fetchedMs: NOW_MS, rates: [] })
    await importObservations({ database: other, rows: inArrays<never>([]) })
    expect((await logged()).map(({ kind }) => kind)).toEqual(['observations'])
  })

  test('assigns positions in the order of commits, for any writer, and blocks no writer', async () => {
    const before = await deadlocks()
    const writers = Array.from({ length: 120 }, (_, i) => {
      const through = i % 2 === 0 ? database : other
      if (i % 20 === 0)
        return createCatalogueStore(through).apply({ currencies: [], providers: [] })
      const observations = [0, 1, 2].map((hour) =>
        observation({ effectiveMs: NOW_MS - ((i + hour) % 3) * HOUR_MS }),
      )
      return createObservationStore(through).record({ observations, idempotency: null })
    })
    const importing = async () => {
      for (let i = 0; i < 20; i++) {
        const hours = [0, 1, 2].map((hour) => observation({ effectiveMs: NOW_MS - hour * HOUR_MS }))
        await importObservations({ database: other, rows: inArrays(hours) })
      }
    }
    await Promise.all([...writers, importing()])
    const positions = (await logged()).map(({ position }) => position)
    await until('all news', async () => notificationOf(positions).length === positions.length)
    expect(notificationOf(positions).map(({ position }) => position)).toEqual(positions)
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b))
    expect(await deadlocks()).toBe(before)
  })

  test('names the rows of a commit, and none of a commit with more than a thousand', async () => {
    const rows = (count: number) => inArrays(Array.from({ length: count }, () => observation()))
    await record(other, 1000)
    await record(other, 1001)
    await importObservations({ database: other, rows: rows(1000) })
    await importObservations({ database: other, rows: rows(1001) })
    const all = await logged()
    expect(all.map(({ ids }) => ids?.length ?? null)).toEqual([1000, null, 1000, null])
    const imported = await database.sql<{ id: string }[]>`
      select id from observations order by id desc limit 1000 offset 1001`
    expect(all[2]!.ids).toEqual(imported.map(({ id }) => Number(id)).reverse())
  })

  test('goes on after a position that is ahead of the server', async () => {
    await database.sql`insert into changes (position, at, kind) values (9e14, now(), 'tick')`
    await record(other)
    expect((await logged()).map(({ position }) => position)).toEqual([9e14, 9e14 + 1])
    await database.sql`delete from changes where position >= 9e14`
  })

  test('has one row for an hour and one for a tick, however many processes notice it at once', async () => {
    const { position } = await changes().end()
    const stores = [createChangeStore(database), createChangeStore(other)]
    const notice = (kind: 'tick' | 'hour', atMs: number) =>
      Promise.all(stores.map((store) => store.logTime(kind, atMs, position)))
    await notice('hour', NOW_MS)
    await notice('tick', NOW_MS)
    await notice('hour', NOW_MS + HOUR_MS)
    const rows = await logged()
    expect(rows.map(({ kind, atMs }) => [kind, atMs])).toEqual([
      ['hour', NOW_MS],
      ['tick', NOW_MS],
      ['hour', NOW_MS + HOUR_MS],
    ])
    const positions = rows.map(({ position }) => position)
    await until('all news', async () => notificationOf(positions).length === 3)
    expect(notificationOf(positions).map(({ kind }) => kind)).toEqual(['hour', 'tick', 'hour'])
    const end = { position: rows[2]!.position, tickMs: NOW_MS, hourMs: NOW_MS + HOUR_MS }
    expect(await changes().end()).toEqual(end)
  })

  test('has another tick for a process that has seen the one before', async () => {
    await changes().logTime('tick', NOW_MS, 0)
    await changes().logTime('tick', NOW_MS, (await changes().end()).position)
    expect(await logged()).toHaveLength(2)
  })

  test('is read from a position on, including that one, in bounded parts', async () => {
    for (let i = 0; i < 4; i++) await record(other)
    const rows = await logged()
    expect(await changes().from(rows[1]!.position, 2)).toEqual(rows.slice(1, 3))
  })

  test('deletes rows older than an hour, oldest first, and keeps the last one', async () => {
    for (const ageMs of [3 * HOUR_MS, 0, 2 * HOUR_MS]) await record(other, 1, NOW_MS - ageMs)
    const rows = await logged()
    expect(await changes().prune(NOW_MS - HOUR_MS - 1)).toBe(0)
    await database.sql`delete from changes where position < ${rows[0]!.position}`
    expect(await changes().prune(NOW_MS)).toBe(1)
    expect((await changes().from(0, 9)).map(({ position }) => position)).toEqual(
      rows.slice(1).map(({ position }) => position),
    )
    await changes().prune(NOW_MS + 9 * HOUR_MS)
    expect(await changes().from(0, 9)).not.toEqual([])
  })

  test('deletes no recent row for a clock that is a day ahead', async () => {
    await record(other, 1, Date.now())
    const [young] = await logged()
    await record(other, 1, Date.now())
    await changes().prune(Date.now() + 24 * HOUR_MS)
    expect((await changes().from(0, 9))[0]).toEqual(young!)
  })

  test('keeps at most 100,000 rows', async () => {
    await database.sql`insert into changes (position, at, kind)
      select 9e14 + i, now(), 'tick' from generate_series(1, 100005) i`
    await changes().prune(Date.now())
    const [row] = await database.sql<{ count: string; first: string }[]>`
      select count(*) as count, min(position) as first from changes`
    expect([Number(row!.count), Number(row!.first)]).toEqual([100_000, 9e14 + 6])
  })
})
