import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { COMMAND_LINE } from '~/domain/audit.ts'
import { createAccountStore } from '~/store/access/account-store.ts'
import { stockedDatabase } from '../../store/samples.ts'
import { clockAt } from '../../support/clock.ts'
import { EventReader } from '../../support/event-reader.ts'
import { Said } from '../../support/exposition.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { TEST_MS_MAX } from '../../support/until.ts'
import { AT, addAccount, Replica } from '../replica-scene.ts'

setDefaultTimeout(TEST_MS_MAX)

let database: FreshDatabase
let replicas: Replica[]

beforeAll(async () => {
  database = await stockedDatabase()
  const clock = clockAt(AT)
  replicas = [await Replica.start(database, { clock }), await Replica.start(database, { clock })]
}, TEST_MS_MAX)
afterAll(async () => {
  await replicas[0]!.service.stop()
  await database.close()
}, TEST_MS_MAX)

const streamOf = (replica: Replica, key: string, headers: Record<string, string> = {}) =>
  fetch(`${replica.service.origin}/api/v1/stream?corridors=USD/KES`, {
    headers: { 'x-api-key': key, ...headers },
  })

const row = (rate: number) => ({ provider_id: 'retail-a', from: 'USD', to: 'KES', rate })

test('a stream gets the commits of any replica, ends with its process, and continues elsewhere', async () => {
  const [one, other] = replicas as [Replica, Replica]
  const { keys } = await addAccount(database, { role: 'treasury' })
  const key = keys[0]!
  // a process follows the log from its first stream on at the latest
  await new EventReader(await streamOf(one, key)).event('hello')
  const reader = new EventReader(await streamOf(other, key))
  await reader.event('hello')
  expect((await one.post(row(128), key)).status).toBe(201)
  expect((await reader.event('quote')).data.rate).toBe(128)
  const startMs = performance.now()
  await other.service.stop()
  await reader.over
  expect(performance.now() - startMs).toBeLessThan(5000)
  expect(reader.retryMs).toBeGreaterThan(0)
  expect((await one.post(row(129), key)).status).toBe(201)
  const next = new EventReader(await streamOf(one, key, { 'last-event-id': reader.lastId! }))
  expect((await next.event('quote')).data.rate).toBe(129)
})

test('a stream starts at or after everything that its process returned before', async () => {
  const [one] = replicas as [Replica]
  const { keys } = await addAccount(database, { role: 'treasury', plan: 'enterprise' })
  const key = keys[0]!
  for (let rate = 140; rate < 150; rate++) {
    expect((await one.post(row(rate), key)).status).toBe(201)
    const stream = new AbortController()
    const response = await fetch(`${one.service.origin}/api/v1/stream?corridors=USD/KES`, {
      headers: { 'x-api-key': key },
      signal: stream.signal,
    })
    const reader = new EventReader(response)
    const hello = await reader.event('hello')
    const [log] = await database.sql<{ position: string }[]>`
      select max(position) as position from changes where kind = 'observations'`
    expect(hello.data.position).toBeGreaterThanOrEqual(Number(log!.position))
    expect((await one.post(row(rate + 0.5), key)).status).toBe(201)
    expect((await reader.event('quote')).data.rate).toBe(rate + 0.5)
    stream.abort()
    await reader.over.catch(() => {})
  }
})

test('429 is returned for a third stream of a free account', async () => {
  const [one] = replicas as [Replica]
  const { keys } = await addAccount(database, { plan: 'free' })
  // an unread response may be collected, which ends its stream
  const readers = [
    new EventReader(await streamOf(one, keys[0]!)),
    new EventReader(await streamOf(one, keys[0]!)),
  ]
  for (const reader of readers) await reader.event('hello')
  expect((await streamOf(one, keys[0]!)).status).toBe(429)
  expect(readers.map(({ isOver }) => isOver)).toEqual([false, false])
})

test('the metrics count streams and their ends', async () => {
  const [one] = replicas as [Replica]
  const { keys, keyIds } = await addAccount(database, { role: 'treasury' })
  const key = keys[0]!
  const said = async () => new Said(await (await fetch(`${one.service.origin}/metrics`)).text())
  const before = await said()
  const changeOf = async (name: string, labels: Record<string, string>) =>
    (await said()).value(name, labels)! - before.value(name, labels)!
  const reader = new EventReader(await streamOf(one, key, { 'last-event-id': 'none of ours' }))
  await reader.event('reset')
  expect((await one.post(row(130), key)).status).toBe(201)
  await reader.event('quote')
  const realtime = { tier: 'realtime' }
  expect(await changeOf('corridor_streams_open', realtime)).toBe(1)
  expect(await changeOf('corridor_stream_resets_total', realtime)).toBe(1)
  expect(await changeOf('corridor_stream_events_total', realtime)).toBeGreaterThanOrEqual(1)
  expect(before.value('corridor_streams_max')).toBe(10_000)
  expect(before.value('corridor_streams_refused_total', { reason: 'account' })).toBe(1)
  expect(before.value('corridor_stream_kept_events')).toBeGreaterThan(0)
  await createAccountStore(database).revokeKey(keyIds[0]!, Date.parse(AT), { actor: COMMAND_LINE })
  expect((await reader.event('ended')).data.code).toBe('revoked_key')
  expect(await changeOf('corridor_streams_ended_total', { reason: 'revoked_key' })).toBe(1)
  expect(await changeOf('corridor_streams_open', realtime)).toBe(0)
})
