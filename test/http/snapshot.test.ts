import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { CURRENCIES, PROVIDERS } from '../support/catalogue.ts'
import { TEST_MS_MAX } from '../support/embedded-process.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'

const NOW = '2026-03-05T14:25:30.500Z'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers: PROVIDERS })
  world = await new PastWorld(database, { at: NOW }).start()
  const snapshot = { source: 'feed', fetchedMs: Date.parse('2026-03-03T05:00:00Z') }
  const rates = [{ currency: 'KES', perUsd: '130' }]
  const references = await createReferenceStore(database).append({ ...snapshot, rates })
  world.memory.publish({ references }, world.clock.now())
  await say('retail-a', 128, '2026-03-01T10:00:00Z')
  await say('retail-b', 129, '2026-03-03T23:59:59.999Z')
  await say('retail-a', 127, '2026-03-04T00:00:00Z')
  await say('retail-a', 126, '2026-03-05T14:00:00Z')
  await say('retail-a', 125, '2026-03-05T14:00:00.001Z')
  const inactive = PROVIDERS.filter(({ id }) => id === 'retail-b')
  const providers = inactive.map((provider) => ({ ...provider, isActive: false }))
  await world.apply({ currencies: [], providers })
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from }])

const historical = (date: string, tier: Tier = 'realtime') =>
  world.get(`/historical?from=USD&to=KES&date=${date}`, tier)

const ratesOf = (body: { providers: { provider_id: string; rate: number }[] }) =>
  body.providers.map(({ provider_id, rate }) => [provider_id, rate])

describe('GET /historical', () => {
  test('200 holds the latest quote of each provider up to the end of the date, and the mid', async () => {
    const { status, body } = await historical('2026-03-03')
    expect(status).toBe(200)
    const common = { fee: null, fee_currency: null, rate_type: 'retail', provider_type: 'imto' }
    expect(body).toEqual({
      corridor: 'USD/KES',
      providers: [
        {
          ...common,
          provider_id: 'retail-b',
          provider_name: 'Provider retail-b',
          rate: 129,
          spread_bps: 0,
          vs_mid_bps: -76.9231,
          transfer_time: 'minutes',
          last_updated: '2026-03-03T23:59:59.999Z',
        },
        {
          ...common,
          provider_id: 'retail-a',
          provider_name: 'Provider retail-a',
          rate: 128,
          spread_bps: 77.5194,
          vs_mid_bps: -153.8462,
          transfer_time: 'minutes',
          last_updated: '2026-03-01T10:00:00.000Z',
        },
      ],
      count: 2,
      mid_rate: 130,
      mid_source: 'feed',
      mid_fetched_at: '2026-03-03T05:00:00.000Z',
      timestamp: NOW,
      date: '2026-03-03',
      as_of: '2026-03-04T00:00:00.000Z',
      data_freshness: 'realtime',
    })
  })

  test('200 takes midnight for the next day', async () => {
    expect(ratesOf((await historical('2026-03-04')).body)).toContainEqual(['retail-a', 127])
  })

  test('200 of today: the end of the day for realtime, the cutoff for the hourly tier', async () => {
    const realtime = (await historical('2026-03-05')).body
    expect(realtime.as_of).toBe('2026-03-06T00:00:00.000Z')
    expect(ratesOf(realtime)).toContainEqual(['retail-a', 125])
    const hourly = (await historical('2026-03-05', 'hourly')).body
    expect(hourly.as_of).toBe('2026-03-05T14:00:00.000Z')
    expect(ratesOf(hourly)).toContainEqual(['retail-a', 126])
  })

  test('200 leaves the mid out where it was not recent then, or was not there yet', async () => {
    world.clock.set('2026-03-07T14:00:00Z')
    const stale = (await historical('2026-03-06')).body
    const early = (await historical('2026-03-02')).body
    world.clock.set(NOW)
    for (const body of [stale, early]) {
      expect(body.count).toBeGreaterThan(0)
      expect(Object.keys(body).filter((name) => name.startsWith('mid'))).toEqual([])
      expect(body.providers[0].vs_mid_bps).toBeUndefined()
    }
  })

  test('200 is an empty list before anything was quoted', async () => {
    expect((await historical('2020-01-01')).body).toMatchObject({ providers: [], count: 0 })
  })

  test.each([
    '2026-03-06',
    '2026-02-30',
    '05-03-2026',
    '2026-3-5',
    '2026-03-05T00:00:00Z',
    'today',
    '',
  ])('400 names date for %p', async (date) => {
    const { status, body } = await historical(date)
    expect([status, body.code, body.parameter]).toEqual([400, 'invalid_parameter', 'date'])
  })

  test('400 without a date', async () => {
    const { body } = await world.get('/historical?from=USD&to=KES')
    expect([body.code, body.parameter]).toEqual(['missing_parameter', 'date'])
  })
})

describe('GET /change', () => {
  test('200 holds both ends and what moved', async () => {
    const { status, body } = await world.get('/change?from=USD&to=KES&period=1d')
    expect(status).toBe(200)
    expect(body).toEqual({
      corridor: 'USD/KES',
      period: '1d',
      start: { at: '2026-03-04T14:25:30.500Z', mid: 130, best: 129 },
      end: { at: NOW, mid: 130, best: 125 },
      change: { mid: { abs: 0, pct: 0 }, best: { abs: -4, pct: -3.100775 } },
      timestamp: NOW,
      data_freshness: 'realtime',
    })
  })

  test('200 of the hourly tier ends at its cutoff', async () => {
    const { body } = await world.get('/change?from=USD&to=KES&period=1d', 'hourly')
    expect(body).toMatchObject({
      start: { at: '2026-03-04T14:00:00.000Z', best: 129 },
      end: { at: '2026-03-05T14:00:00.000Z', best: 126 },
      as_of: '2026-03-05T14:00:00.000Z',
    })
  })

  test('200 leaves out a side without a value and the change that needs it', async () => {
    const { body } = await world.get('/change?from=USD&to=KES')
    expect(body.start).toEqual({ at: '2026-02-26T14:25:30.500Z' })
    expect(body.end).toEqual({ at: NOW, mid: 130, best: 125 })
    expect(body.change).toEqual({})
    const none = await world.get('/change?from=USD&to=EUR')
    expect(none.body).toMatchObject({ end: { at: NOW }, change: {} })
  })

  test('200 ends with what the live questions answer', async () => {
    for (const tier of ['realtime', 'hourly'] as const) {
      const { body } = await world.get('/change?from=USD&to=KES&period=1d', tier)
      const { body: pair } = await world.get('/fetch-one?from=USD&to=KES', tier)
      expect([body.end.best, body.end.mid]).toEqual([pair.provider_best.rate, pair.mid])
    }
  })

  test('400 names period', async () => {
    const { status, body } = await world.get('/change?from=USD&to=KES&period=2d')
    expect([status, body.parameter]).toEqual([400, 'period'])
  })
})
