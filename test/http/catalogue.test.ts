import { describe, expect, test } from 'bun:test'
import { currency, provider } from '../support/catalogue.ts'
import { World } from '../support/world.ts'

const TIMESTAMP = '2026-03-05T14:25:30.500Z'

describe('GET /currencies', () => {
  test('lists active currencies with every field, and the live corridors', async () => {
    const world = new World()
    const currencies = [
      currency('KES', { type: 'target', flagUrl: 'https://x.test/ke.svg', sortOrder: 20 }),
      currency('USD', { type: 'source', sortOrder: 10 }),
      currency('NGN', { isActive: false }),
    ]
    const providers = [provider('retail-a')]
    world.memory.publish({ catalogue: { currencies, providers } }, world.clock.now())
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:00:00Z' })
    world.quote({ providerId: 'retail-a', rate: 1500, to: 'NGN', at: '2026-03-05T14:00:00Z' })
    const { status, body } = await world.get('/currencies', world.key())
    expect(status).toBe(200)
    const flags = { flag_url: null, is_active: true }
    expect(body).toEqual({
      currencies: [
        { code: 'USD', name: 'The USD', type: 'source', sort_order: 10, ...flags },
        {
          code: 'KES',
          name: 'The KES',
          type: 'target',
          flag_url: 'https://x.test/ke.svg',
          is_active: true,
          sort_order: 20,
        },
      ],
      corridors: [{ from: 'USD', to: 'KES' }],
      currency_count: 2,
      corridor_count: 1,
      timestamp: TIMESTAMP,
      data_freshness: 'realtime',
    })
  })

  test('returns 200 with empty lists before there is a catalogue', async () => {
    const world = new World()
    const nothing = { currencies: [], providers: [] }
    world.memory.publish({ catalogue: nothing }, world.clock.now())
    const { body } = await world.get('/currencies', world.key())
    expect(body).toEqual({
      currencies: [],
      corridors: [],
      currency_count: 0,
      corridor_count: 0,
      timestamp: TIMESTAMP,
      data_freshness: 'realtime',
    })
  })

  test('hides a corridor younger than the hour at the hourly tier, and names its cutoff', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:00:00.001Z' })
    const hourly = await world.get('/currencies', world.key('free'))
    expect(hourly.body).toMatchObject({
      corridors: [],
      timestamp: TIMESTAMP,
      data_freshness: 'hourly',
      as_of: '2026-03-05T14:00:00.000Z',
    })
    expect(hourly.headers.get('x-data-freshness')).toBe('hourly')
    const { body, headers } = await world.get('/currencies', world.key('enterprise'))
    expect(body).toMatchObject({
      corridors: [{ from: 'USD', to: 'KES' }],
      data_freshness: 'realtime',
    })
    expect([body.as_of, headers.get('x-data-freshness')]).toEqual([undefined, 'realtime'])
  })
})

describe('GET /corridors', () => {
  test('sums up each corridor, by source and then by target', async () => {
    const world = new World()
    const [at, later] = ['2026-03-05T14:10:00.000Z', '2026-03-05T14:20:00.000Z']
    world.quote(
      { providerId: 'retail-a', rate: 100, at },
      { providerId: 'retail-b', rate: 99, at: later },
      { providerId: 'p2p-a', rate: 110, at },
      { providerId: 'official-a', rate: 120, at },
      { providerId: 'parallel-a', rate: 60, at },
      { providerId: 'parallel-b', rate: 120, at },
      { providerId: 'retail-a', rate: 160, from: 'GBP', at },
      { providerId: 'official-a', rate: 1500, to: 'NGN', at },
    )
    const { status, body } = await world.get('/corridors', world.key('enterprise'))
    expect(status).toBe(200)
    expect(body).toEqual({
      corridors: [
        {
          from: 'GBP',
          to: 'KES',
          provider_count: 1,
          best_rate: 160,
          best_is_stale: false,
          best_last_updated: at,
          last_updated: at,
          avg_spread_bps: 0,
        },
        {
          from: 'USD',
          to: 'KES',
          provider_count: 6,
          best_rate: 110,
          best_is_stale: false,
          best_last_updated: at,
          last_updated: later,
          avg_spread_bps: 33.3333,
        },
        {
          from: 'USD',
          to: 'NGN',
          provider_count: 1,
          best_rate: null,
          best_is_stale: null,
          best_last_updated: null,
          last_updated: at,
          avg_spread_bps: null,
        },
      ],
      count: 3,
      timestamp: TIMESTAMP,
      data_freshness: 'realtime',
    })
  })

  test('sums up the prices of the top of the hour at the hourly tier', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 100, at: '2026-03-05T13:59:00Z' })
    world.quote({ providerId: 'retail-a', rate: 200, at: '2026-03-05T14:01:00Z' })
    world.quote({ providerId: 'retail-b', rate: 300, at: '2026-03-05T14:01:00Z' })
    world.quote({ providerId: 'retail-b', rate: 400, to: 'NGN', at: '2026-03-05T14:01:00Z' })
    const { body } = await world.get('/corridors', world.key('pro'))
    expect(body).toEqual({
      corridors: [
        {
          from: 'USD',
          to: 'KES',
          provider_count: 1,
          best_rate: 100,
          best_is_stale: false,
          best_last_updated: '2026-03-05T13:59:00.000Z',
          last_updated: '2026-03-05T13:59:00.000Z',
          avg_spread_bps: 0,
        },
      ],
      count: 1,
      timestamp: TIMESTAMP,
      data_freshness: 'hourly',
      as_of: '2026-03-05T14:00:00.000Z',
    })
  })

  test('leaves out corridors that only inactive providers quote', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 100 })
    const currencies = [currency('USD'), currency('KES')]
    const providers = [provider('retail-a', { isActive: false })]
    world.memory.publish({ catalogue: { currencies, providers } }, world.clock.now())
    const { body } = await world.get('/corridors', world.key())
    expect([body.corridors, body.count]).toEqual([[], 0])
  })
})

describe('GET /providers', () => {
  test('lists active providers by name with every field', async () => {
    const world = new World()
    const providers = [
      provider('b', {
        name: 'Beta',
        logoUrl: 'https://x.test/b.svg',
        websiteUrl: 'https://b.test',
        providerType: 'fintech_psp',
        rateType: 'p2p',
        region: 'Global',
        transferTime: '1 day',
        paymentMethods: ['cash', 'card'],
      }),
      provider('c', { name: 'Gamma', isActive: false }),
      provider('a', {
        name: 'Alpha',
        providerType: null,
        transferTime: null,
        paymentMethods: null,
      }),
    ]
    world.memory.publish({ catalogue: { currencies: [], providers } }, world.clock.now())
    const { status, body } = await world.get('/providers', world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      providers: [
        {
          id: 'a',
          name: 'Alpha',
          logo_url: null,
          website_url: null,
          provider_type: null,
          rate_type: 'retail',
          region: null,
          time_zone: null,
          transfer_time: null,
          payment_methods: null,
        },
        {
          id: 'b',
          name: 'Beta',
          logo_url: 'https://x.test/b.svg',
          website_url: 'https://b.test',
          provider_type: 'fintech_psp',
          rate_type: 'p2p',
          region: 'Global',
          time_zone: null,
          transfer_time: '1 day',
          payment_methods: ['cash', 'card'],
        },
      ],
      count: 2,
      timestamp: TIMESTAMP,
    })
  })
})
