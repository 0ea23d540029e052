import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HOUR_MS } from '~/domain/duration.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import type { FreshDatabase } from '../../support/postgres.ts'
import { NOW_MS, observation, stockedDatabase } from '../samples.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await stockedDatabase()
})
afterAll(() => database.close())

const send = (providerId: string, hoursAgo: number, to = 'KES') =>
  createObservationStore(database).record({
    observations: [observation({ providerId, to, effectiveMs: NOW_MS - hoursAgo * HOUR_MS })],
    idempotency: null,
  })

const sendingOf = async (providerId: string) =>
  (await createSendingStore(database).all(NOW_MS)).find((one) => one.providerId === providerId)

test('is the newest time, the median interval and the corridors heard of in a day', async () => {
  for (const hours of [40, 30, 20, 2]) await send('retail-a', hours)
  await send('retail-a', 30, 'NGN')
  expect(await sendingOf('retail-a')).toEqual({
    providerId: 'retail-a',
    newestMs: NOW_MS - 2 * HOUR_MS,
    usualIntervalMs: 10 * HOUR_MS,
    corridors: 2,
    freshCorridors: 1,
  })
})

test('has no interval before there are three of them', async () => {
  for (const hours of [9, 6, 3]) await send('retail-b', hours)
  expect((await sendingOf('retail-b'))?.usualIntervalMs).toBeNull()
  await send('retail-b', 12)
  expect((await sendingOf('retail-b'))?.usualIntervalMs).toBe(3 * HOUR_MS)
})

test('goes by the latest thirty sendings: an old habit is forgotten', async () => {
  for (let i = 0; i < 31; i++) await send('p2p-a', 1 + i)
  for (let i = 0; i < 9; i++) await send('p2p-a', 1000 + 100 * i)
  expect((await sendingOf('p2p-a'))?.usualIntervalMs).toBe(HOUR_MS)
})

test('leaves out who never sent anything', async () => {
  expect(await sendingOf('official-a')).toBeUndefined()
})
