import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { noState } from '~/domain/feed/state.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { createUsageStore } from '~/store/access/usage-store.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import type { Database } from '~/store/database.ts'
import { createFeedStateStore } from '~/store/feed-state-store.ts'
import {
  type Listening,
  listenForNotifications,
  NOTIFICATION_BYTES_MAX,
  NOTIFICATION_CHANNEL,
  notificationOf,
  notificationPayload,
  originOf,
  type ReceivedNotification,
} from '~/store/notification-channel.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createRetentionStore } from '~/store/past/retention-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { importObservations } from '~/store/transfer/observation-import.ts'
import { importReferences } from '~/store/transfer/reference-import.ts'
import type { FreshDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { inArrays, NOW_MS, observation, otherHandle, stockedDatabase } from './samples.ts'

const BY = { actor: COMMAND_LINE }

let database: FreshDatabase
let other: Database
let received: ReceivedNotification[] = []
let connections = 0
let listening: Listening

beforeAll(async () => {
  database = await stockedDatabase()
  other = otherHandle(database)
  listening = await listenForNotifications(database, {
    onNotification: (news) => received.push(news),
    onConnect: () => {
      connections += 1
    },
  })
})
afterAll(async () => {
  await other.close()
  await database.close()
})
afterEach(() => {
  received = []
})

const send = (payload: string) => other.sql`select pg_notify(${NOTIFICATION_CHANNEL}, ${payload})`

/** Notifications up to now: a marker is sent after them and waited for. */
async function heardSoFar(): Promise<ReceivedNotification[]> {
  return (await placedSoFar()).map((news) => {
    const { position: _, ...rest } = { position: null, ...news }
    return rest as ReceivedNotification
  })
}

/** Notifications up to now with their positions in the log of changes. */
async function placedSoFar(): Promise<ReceivedNotification[]> {
  const marker = crypto.randomUUID()
  await send(JSON.stringify({ kind: 'access', accountId: marker, origin: 'marker' }))
  const isMarker = (news: ReceivedNotification) => 'accountId' in news && news.accountId === marker
  await until('the marker', async () => received.some(isMarker))
  return received.filter((news) => news.origin !== 'marker')
}

describe('listenForNotifications', () => {
  test('reports that it is connected before it resolves', () => {
    expect(connections).toBe(1)
  })

  test('receives recorded observations, with ids and times for 1.0 and 2.0', async () => {
    const sent: unknown[] = []
    const raw = await database.sql.listen(NOTIFICATION_CHANNEL, (text) =>
      sent.push(JSON.parse(text)),
    )
    const store = createObservationStore(other)
    const observations = [observation(), observation()]
    const result = await store.record({ observations, idempotency: null })
    const [firstId, lastId] = result.kind === 'recorded' ? result.ids : []
    const times = observations.map(({ effectiveMs }) => effectiveMs)
    const window = { fromMs: Math.min(...times), beforeMs: Math.max(...times) + 1 }
    expect(await heardSoFar()).toEqual([{ kind: 'observations', origin: originOf(other) }])
    await until('the payload', async () => sent.length > 0)
    expect(sent[0]).toMatchObject({ kind: 'observations', firstId, lastId, window })
    await raw.unlisten()
  })

  test('receives a snapshot, an import, the catalogue, the feeds, an account and its usage', async () => {
    const origin = originOf(other)
    const rates = [{ currency: 'KES', perUsd: '129' }]
    await createReferenceStore(other).append({ source: 'feed', fetchedMs: NOW_MS, rates })
    await importObservations({ database: other, rows: inArrays([observation()]) })
    const row = { fetchedMs: NOW_MS, source: 'file', currency: 'KES', perUsd: '130' }
    await importReferences({ database: other, rows: inArrays([row]) })
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    await createFeedStateStore(other).save(noState)
    const accounts = createAccountStore(other)
    const { account, key } = await accounts.create({
      email: 'news@example.com',
      plan: 'free',
      role: 'member',
      keyName: 'k',
      keyHash: '0'.repeat(64),
    })
    await accounts.update(account.id, { plan: 'pro' })
    await accounts.createKey({ accountId: account.id, name: 'l', hash: '1'.repeat(64), ...BY })
    await accounts.revokeKey(key.id, NOW_MS, BY)
    const counted = { accountId: account.id, keyId: key.id, day: 20_000, requests: 1 }
    await createUsageStore(other).settle({ counts: [counted], asks: [] })
    const access = { kind: 'access' as const, accountId: account.id, origin }
    expect(await heardSoFar()).toEqual([
      { kind: 'references', origin },
      { kind: 'observations', origin },
      { kind: 'references', origin },
      { kind: 'catalogue', origin },
      { kind: 'feeds', origin },
      access,
      access,
      access,
      access,
      { kind: 'usage', accountIds: [account.id], origin },
    ])
  })

  test('receives each change with its position in the log', async () => {
    await createObservationStore(other).record({
      observations: [observation()],
      idempotency: null,
    })
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    await importObservations({ database: other, rows: inArrays([observation()]) })
    const rows = await database.sql<{ position: string }[]>`
      select position from changes order by position desc limit 3`
    const placed = (await placedSoFar()).map((news) => 'position' in news && news.position)
    expect(placed).toEqual(rows.map(({ position }) => Number(position)).reverse())
  })

  test('receives pruning as a change of nothing in the log', async () => {
    const [before] = await database.sql`select count(*) from changes`
    await createRetentionStore(other).finish({ actor: 'a', beforeMs: NOW_MS, observations: 1 })
    const origin = originOf(other)
    expect(await placedSoFar()).toEqual([{ kind: 'observations', origin, position: null }])
    expect((await database.sql`select count(*) from changes`)[0]).toEqual(before)
  })

  test('receives as many accounts as one flush may have, in messages that the server accepts', async () => {
    const { account, key } = await createAccountStore(other).create({
      email: 'many@example.com',
      plan: 'free',
      role: 'member',
      keyName: 'k',
      keyHash: '2'.repeat(64),
    })
    received = []
    const ids = [account.id, ...Array.from({ length: 999 }, () => crypto.randomUUID())]
    const counts = ids.map((accountId) => ({ accountId, keyId: key.id, day: 20_000, requests: 1 }))
    await createUsageStore(other).settle({ counts, asks: [] })
    const named = (await heardSoFar()).flatMap((news) =>
      news.kind === 'usage' ? news.accountIds : [],
    )
    expect(named).toEqual(ids)
  })

  test('receives nothing for a commit without changes', async () => {
    const none = inArrays<never>([])
    await createObservationStore(other).record({ observations: [], idempotency: null })
    await importObservations({ database: other, rows: none })
    await importReferences({ database: other, rows: none })
    await createReferenceStore(other).append({ source: 'f', fetchedMs: NOW_MS, rates: [] })
    await createAccountStore(other).update(crypto.randomUUID(), { plan: 'pro' })
    await createAccountStore(other).revokeKey(crypto.randomUUID(), NOW_MS, BY)
    const nobody = { accountId: crypto.randomUUID(), keyId: crypto.randomUUID() }
    await createUsageStore(other).settle({
      counts: [{ ...nobody, day: 20_000, requests: 1 }],
      asks: [],
    })
    expect(await heardSoFar()).toEqual([])
  })

  test('receives nothing for a rolled back transaction', async () => {
    await other.sql
      .begin(async (tx) => {
        const payload = notificationPayload(other, { kind: 'catalogue' })
        await tx`select pg_notify(${NOTIFICATION_CHANNEL}, ${payload})`
        throw new Error('rolled back')
      })
      .catch(() => {})
    expect(await heardSoFar()).toEqual([])
  })

  test('ignores messages that are not change notifications', async () => {
    for (const payload of ['', 'x', 'null', '[]', '{"kind":"none","origin":"a"}'])
      await send(payload)
    expect(await heardSoFar()).toEqual([])
  })

  test('reconnects when its connection is lost, says so, and receives again', async () => {
    const before = connections
    await other.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen %'`
    await until('another connection', async () => connections === before + 1)
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    expect(await heardSoFar()).toEqual([{ kind: 'catalogue', origin: originOf(other) }])
  })

  test('receives its own pulse', async () => {
    await listening.pulse()
    expect(await heardSoFar()).toEqual([{ kind: 'pulse', origin: originOf(database), count: 1 }])
  })

  test('reconnects on request, says so, and receives everything once', async () => {
    const before = connections
    await listening.reconnect()
    expect(connections).toBe(before + 1)
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    expect(await heardSoFar()).toHaveLength(1)
    await until('one connection that listens', async () => {
      const rows = await other.sql`select 1 from pg_stat_activity
        where datname = current_database() and query ilike 'listen %'`
      return rows.length === 1
    })
  })

  test('is silent once stopped', async () => {
    const second: ReceivedNotification[] = []
    const stopped = await listenForNotifications(database, {
      onNotification: (news) => second.push(news),
      onConnect: () => {},
    })
    stopped.stop()
    await createCatalogueStore(other).apply({ currencies: [], providers: [] })
    expect(await heardSoFar()).toHaveLength(1)
    expect(second).toEqual([])
    listening.stop()
  })
})

describe('notificationOf', () => {
  test('reads what notificationPayload writes', () => {
    const origin = originOf(database)
    expect(origin).not.toBe(originOf(other))
    for (const item of [
      { kind: 'observations', position: 7 },
      { kind: 'references' },
      { kind: 'catalogue' },
      { kind: 'access', accountId: 'a' },
      { kind: 'access' },
      { kind: 'usage', accountIds: ['a', 'b'] },
    ] as const)
      expect(notificationOf(notificationPayload(database, item))).toEqual({ ...item, origin })
  })

  test('is null for anything else', () => {
    for (const payload of [
      '',
      '{',
      '1',
      'null',
      '{"kind":"catalogue"}',
      '{"kind":"catalogue","origin":1}',
      '{"kind":"access","accountId":1,"origin":"a"}',
      '{"kind":"usage","origin":"a"}',
      '{"kind":"usage","accountIds":["a",1],"origin":"a"}',
      '{"kind":"later","origin":"a"}',
      JSON.stringify({ kind: 'catalogue', origin: 'a'.repeat(NOTIFICATION_BYTES_MAX) }),
    ])
      expect(notificationOf(payload)).toBeNull()
  })
})
