import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { stockedDatabase } from '../store/samples.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { plainOfferId } from '../support/offers.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW = '2026-03-05T14:25:30.500Z'

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  const providers = [...PROVIDERS, provider('retail-c')]
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
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
  await world.switch('retail-b', false, '2026-03-05T13:00:00Z')
}, TEST_MS_MAX)
afterAll(() => database.close())

const say = (provider_id: string, rate: number, effective_from: string) =>
  world.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from }])

const historical = (date: string, tier: Tier = 'realtime') =>
  world.get(`/historical?from=USD&to=KES&date=${date}`, tier)

const ratesOf = (body: { providers: { provider_id: string; rate: number }[] }) =>
  body.providers.map(({ provider_id, rate }) => [provider_id, rate])

describe('GET /historical', () => {
  test('returns 200 with the latest quote of each provider up to the end of the date, and the mid', async () => {
    const { status, body } = await historical('2026-03-03')
    expect(status).toBe(200)
    const common = {
      fee: null,
      fee_currency: null,
      rate_type: 'retail',
      provider_type: 'imto',
      fee_stated: false,
      evidence: 'observed',
    }
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
          is_stale: false,
          mid_at_quote: { rate: 130, fetched_at: '2026-03-03T05:00:00.000Z', basis: 'single' },
          margin_pct: 0.769231,
          offer_id: plainOfferId('retail-b'),
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
          is_stale: false,
          offer_id: plainOfferId('retail-a'),
        },
      ],
      count: 2,
      mid_rate: 130,
      mid_source: 'feed',
      mid_fetched_at: '2026-03-03T05:00:00.000Z',
      mid_basis: 'single',
      timestamp: NOW,
      date: '2026-03-03',
      as_of: '2026-03-04T00:00:00.000Z',
      data_freshness: 'realtime',
    })
  })

  test('counts midnight to the next day', async () => {
    expect(ratesOf((await historical('2026-03-04')).body)).toContainEqual(['retail-a', 127])
  })

  test('ends today with the day for realtime, and at the cutoff for the hourly tier', async () => {
    const realtime = (await historical('2026-03-05')).body
    expect(realtime.as_of).toBe('2026-03-06T00:00:00.000Z')
    expect(ratesOf(realtime)).toContainEqual(['retail-a', 125])
    const hourly = (await historical('2026-03-05', 'hourly')).body
    expect(hourly.as_of).toBe('2026-03-05T14:00:00.000Z')
    expect(ratesOf(hourly)).toContainEqual(['retail-a', 126])
  })

  test('leaves the mid out if it was not recent then, or did not exist yet', async () => {
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

  test('stays the same for a past date when a provider is switched off', async () => {
    const { body } = await historical('2026-03-04')
    expect(ratesOf(body)).toEqual([
      ['retail-b', 129],
      ['retail-a', 127],
    ])
  })

  test('returns for today the providers and the best of /rates', async () => {
    for (const tier of ['realtime', 'hourly'] as const) {
      const { body } = await historical('2026-03-05', tier)
      const { body: rates } = await world.get('/rates?from=USD&to=KES', tier)
      expect(rates.providers).toMatchObject(body.providers)
    }
  })

  test('leaves out a provider that was off at the end of the date and is on again', async () => {
    await say('retail-c', 128.5, '2026-03-01T10:00:00Z')
    await world.switch('retail-c', false, '2026-03-02T10:00:00Z')
    await world.switch('retail-c', true, '2026-03-04T00:00:00Z')
    const seen = async (date: string) =>
      ratesOf((await historical(date)).body).some(([id]) => id === 'retail-c')
    expect(await Promise.all(['2026-03-01', '2026-03-02', '2026-03-03'].map(seen))).toEqual([
      true,
      false,
      false,
    ])
    expect(await seen('2026-03-04')).toBe(true)
    await world.switch('retail-c', false, '2026-03-05T13:00:00Z')
  })

  test('returns 200 with an empty list before anything was quoted', async () => {
    const note = 'No active provider had a valid price of USD/KES as of 2020-01-01.'
    expect((await historical('2020-01-01')).body).toMatchObject({ providers: [], count: 0, note })
    expect((await historical('2026-03-03')).body).not.toHaveProperty('note')
    const { body } = await world.get('/historical?from=KES&to=USD&date=2026-03-03')
    expect(body.note).toBe(
      'No active provider had a valid price of KES/USD as of 2026-03-03; USD/KES was quoted.',
    )
  })

  test.each([
    '2026-03-06',
    '2026-02-30',
    '05-03-2026',
    '2026-3-5',
    '2026-03-05T00:00:00Z',
    'today',
    '',
  ])('returns 400 with the name date for %p', async (date) => {
    const { status, body } = await historical(date)
    expect([status, body.code, body.parameter]).toEqual([400, 'invalid_parameter', 'date'])
  })

  test('returns 400 without a date', async () => {
    const { body } = await world.get('/historical?from=USD&to=KES')
    expect([body.code, body.parameter]).toEqual(['missing_parameter', 'date'])
  })
})

const DAY_MS = 86_400_000

/** A corridor of two providers, the better of which last quoted thirty days and one hour ago. */
async function crowdOf({ quoteMaxAgeMs }: { quoteMaxAgeMs: number | null }) {
  const own = await stockedDatabase()
  const market = await new PastWorld(own, { at: NOW, quoteMaxAgeMs }).start()
  for (const [provider_id, rate, effective_from] of [
    ['retail-a', 170, '2026-02-03T12:50:00Z'],
    ['retail-b', 160, '2026-02-03T13:00:00Z'],
  ])
    await market.post([{ provider_id, rate, from: 'USD', to: 'KES', effective_from }])
  return {
    world: market,
    change: (period: string, tier: Tier = 'realtime') =>
      market.get(`/change?from=USD&to=KES&period=${period}`, tier),
    close: () => own.close(),
  }
}

describe('GET /change', () => {
  test('returns 200 with both ends and the change', async () => {
    const { status, body } = await world.get('/change?from=USD&to=KES&period=1d')
    expect(status).toBe(200)
    expect(body).toEqual({
      corridor: 'USD/KES',
      period: '1d',
      start: {
        at: '2026-03-04T14:25:30.500Z',
        mid: 130,
        source: 'feed',
        basis: 'single',
        best: 129,
      },
      end: { at: NOW, mid: 130, source: 'feed', basis: 'single', best: 125 },
      change: { mid: { abs: 0, pct: 0 }, best: { abs: -4, pct: -3.100775 } },
      timestamp: NOW,
      data_freshness: 'realtime',
    })
  })

  test('ends at its cutoff for the hourly tier', async () => {
    const { body } = await world.get('/change?from=USD&to=KES&period=1d', 'hourly')
    expect(body).toMatchObject({
      start: { at: '2026-03-04T14:00:00.000Z', best: 129 },
      end: { at: '2026-03-05T14:00:00.000Z', best: 126 },
      as_of: '2026-03-05T14:00:00.000Z',
    })
  })

  test('leaves out a side without a value and the change that needs it', async () => {
    const { body } = await world.get('/change?from=USD&to=KES')
    expect(body.start).toEqual({ at: '2026-02-26T14:25:30.500Z' })
    expect(body.end).toEqual({ at: NOW, mid: 130, source: 'feed', basis: 'single', best: 125 })
    expect(body.change).toEqual({})
    const none = await world.get('/change?from=USD&to=EUR')
    expect(none.body).toMatchObject({ end: { at: NOW }, change: {} })
  })

  test('ends with the live prices', async () => {
    for (const tier of ['realtime', 'hourly'] as const) {
      const { body } = await world.get('/change?from=USD&to=KES&period=1d', tier)
      const { body: pair } = await world.get('/fetch-one?from=USD&to=KES', tier)
      expect([body.end.best, body.end.mid]).toEqual([pair.provider_best.rate, pair.mid])
    }
  })

  test('counts the providers that were active at each end, whatever happens to them later', async () => {
    const market = await crowdOf({ quoteMaxAgeMs: null })
    const before = (await market.change('30d')).body
    expect(before.change.best).toEqual({ abs: 0, pct: 0 })
    await market.world.switch('retail-a', false, '2026-03-05T14:20:00Z')
    const after = (await market.change('30d')).body
    expect(after.start).toEqual(before.start)
    expect(after.end.best).toBe(160)
    expect((await market.change('30d', 'hourly')).body.change.best).toEqual({ abs: 0, pct: 0 })
    await market.world.switch('retail-a', true, '2026-03-05T14:24:00Z')
    expect((await market.change('30d')).body).toEqual(before)
    await market.close()
  })

  test('counts the age of a quote from each end', async () => {
    const market = await crowdOf({ quoteMaxAgeMs: 30 * DAY_MS + 90 * 60_000 })
    const { body } = await market.change('1d')
    expect([body.start.best, body.end.best]).toEqual([170, 160])
    const { body: hourly } = await market.change('1d', 'hourly')
    expect([hourly.start.best, hourly.end.best]).toEqual([170, 170])
    await market.close()
  })

  test('returns 400 with the name period', async () => {
    const { status, body } = await world.get('/change?from=USD&to=KES&period=2d')
    expect([status, body.parameter]).toEqual([400, 'period'])
  })
})
