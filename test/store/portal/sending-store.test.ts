import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { silentFromMs } from '~/domain/feed/silence.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createObservationStore } from '~/store/observation-store.ts'
import { createSendingStore } from '~/store/portal/sending-store.ts'
import { currency, provider } from '../../support/catalogue.ts'
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

test('the sendings have the newest time, the median interval and the corridors of the last day', async () => {
  for (const hours of [40, 30, 20, 2]) await send('retail-a', hours)
  await send('retail-a', 30, 'NGN')
  expect(await sendingOf('retail-a')).toEqual({
    providerId: 'retail-a',
    newestMs: NOW_MS - 2 * HOUR_MS,
    usualIntervalMs: 10 * HOUR_MS,
    corridors: 2,
    freshCorridors: 1,
    silentCorridors: 0,
    lastSilent: [],
    offDays: 0,
    days: [
      [NOW_MS - 40 * HOUR_MS, NOW_MS - 40 * HOUR_MS],
      [NOW_MS - 30 * HOUR_MS, NOW_MS - 20 * HOUR_MS],
      [NOW_MS - 2 * HOUR_MS, NOW_MS - 2 * HOUR_MS],
    ],
  })
})

test('the sendings have no interval before there are three of them', async () => {
  for (const hours of [9, 6, 3]) await send('retail-b', hours)
  expect((await sendingOf('retail-b'))?.usualIntervalMs).toBeNull()
  await send('retail-b', 12)
  expect((await sendingOf('retail-b'))?.usualIntervalMs).toBe(3 * HOUR_MS)
})

test('the interval uses the latest thirty sendings, so an old habit is forgotten', async () => {
  for (let i = 0; i < 31; i++) await send('p2p-a', 1 + i)
  for (let i = 0; i < 9; i++) await send('p2p-a', 1000 + 100 * i)
  expect((await sendingOf('p2p-a'))?.usualIntervalMs).toBe(HOUR_MS)
})

describe('corridors that fell silent', () => {
  const sendEvery = async (providerId: string, to: string, hours: readonly number[]) => {
    for (const ago of hours) await send(providerId, ago, to)
  }
  const silentOf = async (providerId: string, nowMs = NOW_MS) => {
    const sendings = await createSendingStore(database).all(nowMs)
    const { silentCorridors, lastSilent } = sendings.find((one) => one.providerId === providerId)!
    return { silentCorridors, to: lastSilent.map(({ to }) => to) }
  }

  test('are found by their own interval, the last to fall silent first', async () => {
    await sendEvery('interbank-a', 'KES', [4, 3, 2, 1])
    await sendEvery('interbank-a', 'NGN', [13, 12, 11, 10])
    await sendEvery('interbank-a', 'ZAR', [80, 60, 40, 20])
    await sendEvery('interbank-a', 'UGX', [9, 8, 7, 6])
    await sendEvery('interbank-a', 'EUR', [900, 600])
    expect(await silentOf('interbank-a')).toEqual({ silentCorridors: 2, to: ['UGX', 'NGN'] })
    const [first] = (await sendingOf('interbank-a'))!.lastSilent
    expect(first).toEqual({
      offDays: 0,
      ...{ from: 'USD', to: 'UGX' },
      ...{ newestMs: NOW_MS - 6 * HOUR_MS, usualIntervalMs: HOUR_MS },
    })
  })

  test('count from the exact millisecond of the rule until they have ended', async () => {
    await sendEvery('official-b', 'KES', [9, 8, 7, 6])
    const newestMs = NOW_MS - 6 * HOUR_MS
    const fromMs = silentFromMs({ newestMs, usualIntervalMs: HOUR_MS })!
    const counts = async (...times: number[]) => {
      const found = []
      for (const ms of times) found.push((await silentOf('official-b', ms)).silentCorridors)
      return found
    }
    expect(await counts(fromMs, fromMs + 1)).toEqual([0, 1])
    const endMs = newestMs + 30 * DAY_MS
    expect(await counts(endMs, endMs + 1)).toEqual([1, 0])
  })

  test('are counted if both currencies are active, and twenty of them are named', async () => {
    const codes = Array.from({ length: 26 }, (_, i) => `Q${String.fromCharCode(65 + i)}Z`)
    const catalogue = createCatalogueStore(database)
    const currencies = codes.map((code) => currency(code))
    await catalogue.apply({ currencies, providers: [provider('wide')] })
    for (const code of codes) await sendEvery('wide', code, [9, 8, 7, 6])
    const all = await silentOf('wide')
    expect([all.silentCorridors, all.to.length]).toEqual([26, 20])
    const off = currencies.slice(0, 2).map((one) => ({ ...one, isActive: false }))
    await catalogue.apply({ currencies: off, providers: [] })
    expect((await silentOf('wide')).silentCorridors).toBe(24)
  })
})

test('the sendings leave out providers that never sent anything', async () => {
  expect(await sendingOf('official-a')).toBeUndefined()
})

test('the sendings count weekdays without one, once there are two weeks of days', async () => {
  const workdays = Array.from({ length: 21 }, (_, day) => day).filter(
    (day) => ![0, 6].includes(new Date(NOW_MS - day * DAY_MS).getUTCDay()),
  )
  for (const day of workdays) await send('official-a', day * 24 + 1, 'UGX')
  const { offDays, days } = (await sendingOf('official-a'))!
  expect(offDays).toBe(2)
  expect(days).toHaveLength(workdays.length)
  expect(days!.at(-1)).toEqual([NOW_MS - HOUR_MS, NOW_MS - HOUR_MS])
})
