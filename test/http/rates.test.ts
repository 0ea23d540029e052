import { describe, expect, test } from 'bun:test'
import { CURRENCIES, provider } from '../support/catalogue.ts'
import { plainOfferId } from '../support/offers.ts'
import { World } from '../support/world.ts'

const PATH = '/rates?from=USD&to=KES'
const DAY_MS = 86_400_000

const idsOf = (body: { providers: { provider_id: string }[] }): string[] =>
  body.providers.map((entry) => entry.provider_id)

const MID_AT_QUOTE = { rate: 130, fetched_at: '2026-03-05T14:10:00.000Z', basis: 'single' }

describe('GET /rates', () => {
  test('returns 200 with every field of the corridor, of the mid and of each provider', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:10:00Z', source: 'feed-a' })
    const at = '2026-03-05T14:20:00.123Z'
    world.quote(
      { providerId: 'retail-a', rate: 129.35, fee: 1.99, feeCurrency: 'USD', at },
      { providerId: 'retail-b', rate: 128, at },
      { providerId: 'official-a', rate: 131.3, at },
    )
    const { status, body } = await world.get(PATH, world.key('enterprise'))
    expect(status).toBe(200)
    expect(body).toEqual({
      corridor: 'USD/KES',
      providers: [
        {
          provider_id: 'retail-a',
          provider_name: 'Provider retail-a',
          rate: 129.35,
          fee: 1.99,
          fee_currency: 'USD',
          spread_bps: 0,
          vs_mid_bps: -50,
          rate_type: 'retail',
          provider_type: 'imto',
          transfer_time: 'minutes',
          last_updated: at,
          is_stale: false,
          fee_stated: true,
          evidence: 'observed',
          mid_at_quote: MID_AT_QUOTE,
          margin_pct: 0.5,
          offer_id: plainOfferId('retail-a'),
        },
        {
          provider_id: 'retail-b',
          provider_name: 'Provider retail-b',
          rate: 128,
          fee: null,
          fee_currency: null,
          spread_bps: 104.368,
          vs_mid_bps: -153.8462,
          rate_type: 'retail',
          provider_type: 'imto',
          transfer_time: 'minutes',
          last_updated: at,
          is_stale: false,
          fee_stated: false,
          evidence: 'observed',
          mid_at_quote: MID_AT_QUOTE,
          margin_pct: 1.538462,
          offer_id: plainOfferId('retail-b'),
        },
        {
          provider_id: 'official-a',
          provider_name: 'Provider official-a',
          rate: 131.3,
          fee: null,
          fee_currency: null,
          spread_bps: 0,
          vs_mid_bps: 100,
          rate_type: 'official',
          provider_type: 'imto',
          transfer_time: 'minutes',
          last_updated: at,
          is_stale: false,
          fee_stated: false,
          evidence: 'observed',
          mid_at_quote: MID_AT_QUOTE,
          margin_pct: -1,
          offer_id: plainOfferId('official-a'),
        },
      ],
      count: 3,
      mid_rate: 130,
      mid_source: 'feed-a',
      mid_fetched_at: '2026-03-05T14:10:00.000Z',
      mid_basis: 'single',
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'realtime',
    })
  })

  test('returns 503 while the prices of a corridor could not be loaded, and 200 for other corridors', async () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1500 })
    world.memory.publish({ missing: new Set(['USD/KES']) }, world.clock.now())
    const key = world.key()
    const country = 'source_country=US&target_country=KE'
    for (const path of [
      ...['/rates?from=USD&to=KES', '/convert?from=USD&to=KES&amount=5'],
      ...['/fetch-one?from=USD&to=KES', '/fetch-multi?from=USD&to=NGN,KES'],
      ...['/fetch-matrix?from=USD&to=NGN,KES', '/fetch-many-to-one?from=USD&to=KES'],
      ...[`/costs?${country}&amount=5`, '/change?from=USD&to=KES&period=7d'],
    ]) {
      const { status, body, headers } = await world.get(path, key)
      expect([path, status, body.code]).toEqual([path, 503, 'database_unavailable'])
      expect(headers.get('retry-after')).toBe('30')
    }
    for (const path of ['/rates?from=USD&to=NGN', '/fetch-one?from=USD&to=NGN', '/corridors'])
      expect([path, (await world.get(path, key)).status]).toEqual([path, 200])
    world.memory.publish({ missing: new Set() }, world.clock.now())
    expect((await world.get('/rates?from=USD&to=KES', key)).status).toBe(200)
  })

  test('has its cutoff and nothing after it at the hourly tier', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T13:10:00Z', source: 'old' })
    world.reference({ KES: 140 }, { at: '2026-03-05T14:00:00.001Z', source: 'new' })
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 125, at: '2026-03-05T14:00:00.001Z' })
    world.quote({ providerId: 'retail-b', rate: 126, at: '2026-03-05T14:10:00Z' })
    for (const plan of ['free', 'pro'] as const) {
      const { body } = await world.get(PATH, world.key(plan))
      expect(body.data_freshness).toBe('hourly')
      expect(body.as_of).toBe('2026-03-05T14:00:00.000Z')
      expect(body.timestamp).toBe('2026-03-05T14:25:30.500Z')
      expect([body.mid_rate, body.mid_source]).toEqual([130, 'old'])
      expect(idsOf(body)).toEqual(['retail-a'])
      expect(body.providers[0].rate).toBe(129)
      expect(body.providers[0].last_updated).toBe('2026-03-05T14:00:00.000Z')
    }
    const { body } = await world.get(PATH, world.key('enterprise'))
    expect(body).not.toHaveProperty('as_of')
    expect(idsOf(body)).toEqual(['retail-b', 'retail-a'])
    expect(body.mid_rate).toBe(140)
  })

  test('shows the new hour from its first millisecond on, although no job has run', async () => {
    const world = new World()
    const key = world.key('free')
    world.quote({ providerId: 'retail-a', rate: 120, at: '2026-03-05T13:30:00Z' })
    world.quote({ providerId: 'retail-a', rate: 130, at: '2026-03-05T14:30:00Z' })
    world.clock.set('2026-03-05T14:59:59.999Z')
    const before = (await world.get(PATH, key)).body
    expect([before.as_of, before.providers[0].rate]).toEqual(['2026-03-05T14:00:00.000Z', 120])
    world.clock.advance(1)
    const after = (await world.get(PATH, key)).body
    expect([after.as_of, after.providers[0].rate]).toEqual(['2026-03-05T15:00:00.000Z', 130])
  })

  test('never shows the previous hour: a quote from an hour back is replaced too', async () => {
    const world = new World()
    const key = world.key('free')
    world.quote({ providerId: 'retail-a', rate: 120, at: '2026-03-05T14:59:59.999Z' })
    world.quote({ providerId: 'retail-a', rate: 130, at: '2026-03-05T15:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 140, at: '2026-03-05T15:00:00.001Z' })
    world.clock.set('2026-03-05T15:00:00.000Z')
    expect((await world.get(PATH, key)).body.providers[0].rate).toBe(130)
    world.clock.set('2026-03-05T16:00:00.000Z')
    expect((await world.get(PATH, key)).body.providers[0].rate).toBe(140)
  })

  test('returns an empty list without quotes, with or without a mid', async () => {
    const world = new World()
    const key = world.key('enterprise')
    const note = 'No provider quotes USD/KES at present.'
    const empty = { corridor: 'USD/KES', providers: [], count: 0, note, data_freshness: 'realtime' }
    const timestamp = '2026-03-05T14:25:30.500Z'
    expect((await world.get(PATH, key)).body).toEqual({ ...empty, timestamp })
    world.reference({ KES: 130 })
    expect((await world.get(PATH, key)).body).toEqual({
      ...empty,
      timestamp,
      mid_rate: 130,
      mid_source: 'feed',
      mid_fetched_at: timestamp,
      mid_basis: 'single',
    })
  })

  test('shows a mid of exactly 72 hours and omits one a millisecond older', async () => {
    const world = new World()
    const key = world.key('enterprise')
    world.quote({ providerId: 'retail-a', rate: 129 })
    world.reference({ KES: 130 }, { at: '2026-03-02T14:25:30.500Z' })
    expect((await world.get(PATH, key)).body.mid_rate).toBe(130)
    world.clock.advance(1)
    const { body } = await world.get(PATH, key)
    for (const field of ['mid_rate', 'mid_source', 'mid_fetched_at'])
      expect(body).not.toHaveProperty(field)
    expect(body.providers[0]).not.toHaveProperty('vs_mid_bps')
  })

  test('crosses the mid through the dollar and dates it by its older leg', async () => {
    const world = new World()
    world.reference({ GBP: 0.8 }, { at: '2026-03-04T00:00:00Z', source: 'ecb' })
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00Z', source: 'open' })
    const { body } = await world.get('/rates?from=GBP&to=KES', world.key())
    expect(body.mid_rate).toBe(162.5)
    expect(body.mid_source).toBe('ecb+open')
    expect(body.mid_fetched_at).toBe('2026-03-04T00:00:00.000Z')
  })

  test.each(['USDT', 'USDC'])(
    'returns 200 without a mid for %s, even with a reference',
    async (code) => {
      const world = new World()
      world.reference({ KES: 130, [code]: 1 })
      world.quote({ providerId: 'p2p-a', rate: 131, from: code })
      const { body } = await world.get(`/rates?from=${code}&to=KES`, world.key())
      expect(body.count).toBe(1)
      expect(body).not.toHaveProperty('mid_rate')
      expect(body.providers[0]).not.toHaveProperty('vs_mid_bps')
    },
  )

  test('groups by kind and ranks by rate, then by the newest, then by the id', async () => {
    const world = new World()
    const [older, newer] = ['2026-03-05T14:00:00Z', '2026-03-05T14:01:00Z']
    for (const kind of ['parallel', 'official', 'interbank', 'p2p', 'retail'])
      world.quote(
        { providerId: `${kind}-b`, rate: kind === 'p2p' ? 129 : 128, at: older },
        { providerId: `${kind}-a`, rate: 128, at: kind === 'official' ? newer : older },
      )
    world.quote({ providerId: 'parallel-b', rate: 128, at: newer })
    const { body } = await world.get(PATH, world.key())
    expect(idsOf(body)).toEqual([
      ...['retail-a', 'retail-b', 'p2p-b', 'p2p-a', 'interbank-a', 'interbank-b'],
      ...['official-a', 'official-b', 'parallel-b', 'parallel-a'],
    ])
  })

  test('shows the latest quote of a provider, by time, then by the order of recording', async () => {
    const world = new World()
    const at = '2026-03-05T14:00:00Z'
    world.quote({ providerId: 'retail-a', rate: 1, at }, { providerId: 'retail-a', rate: 2, at })
    world.quote({ providerId: 'retail-a', rate: 3, at: '2026-03-05T13:59:59.999Z' })
    const { body } = await world.get(PATH, world.key())
    expect(body.providers.map(({ rate }: { rate: number }) => rate)).toEqual([2])
  })

  test('leaves out inactive providers and shows unknown fields of others as null', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129 }, { providerId: 'retail-b', rate: 130 })
    const providers = [
      provider('retail-a', { providerType: null, transferTime: null }),
      provider('retail-b', { isActive: false }),
    ]
    world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, world.clock.now())
    const { body } = await world.get(PATH, world.key())
    expect(idsOf(body)).toEqual(['retail-a'])
    expect(body.providers[0]).toMatchObject({ provider_type: null, transfer_time: null })
    expect(body.providers[0].spread_bps).toBe(0)
  })

  test('returns 200 without binary noise', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 0.1 + 0.2, fee: 1.1 * 3, feeCurrency: 'USD' })
    const { text } = await world.get(PATH, world.key())
    expect(text).toContain('"rate":0.3,"fee":3.3,')
  })

  test('drops a quote a millisecond past QUOTE_MAX_AGE from the live views', async () => {
    const world = new World({ quoteMaxAgeMs: DAY_MS })
    const key = world.key()
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-04T14:25:30.500Z' })
    expect((await world.get(PATH, key)).body.count).toBe(1)
    world.clock.advance(1)
    expect((await world.get(PATH, key)).body.count).toBe(0)
  })

  test('accepts codes in any case, with spaces around them, and returns them in upper case', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129 })
    for (const path of ['/rates?from=usd&to=kEs', '/rates?from=%20USD+&to=%09KES'])
      expect((await world.get(path, world.key())).body).toMatchObject({
        corridor: 'USD/KES',
        count: 1,
      })
  })

  test('ignores unknown parameters', async () => {
    const world = new World()
    expect((await world.get(`${PATH}&x=1&x=2&=&%00&%zz=%zz`, world.key())).status).toBe(200)
  })

  test('returns 400 with the supported currencies for an inactive or unknown one', async () => {
    const world = new World()
    for (const code of ['SLL', 'XXX', 'US', 'USDTT', '$$$']) {
      const { status, body } = await world.get(`/rates?from=${code}&to=KES`, world.key())
      expect(status).toBe(400)
      expect(body).toEqual({
        error: expect.stringContaining(`from: "${code}"`),
        code: 'unsupported_currency',
        parameter: 'from',
        supported_currencies: [
          ...['EUR', 'GBP', 'KES', 'NGN', 'UGX', 'USD', 'USDC', 'USDT', 'XOF', 'ZAR'],
        ],
      })
    }
  })

  test('returns 400 for one currency on both sides', async () => {
    const world = new World()
    const { status, body } = await world.get('/rates?from=KES&to=kes', world.key())
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringContaining('KES'), code: 'same_currency' })
  })

  test.each([
    ['/rates?to=KES', 'missing_parameter', 'from'],
    ['/rates?from=USD', 'missing_parameter', 'to'],
    ['/rates', 'missing_parameter', 'from'],
    ['/rates?from=&to=KES', 'invalid_parameter', 'from'],
    ['/rates?from&to=KES', 'invalid_parameter', 'from'],
    ['/rates?from=%20&to=KES', 'invalid_parameter', 'from'],
    ['/rates?from=USD&to=KES&to=KES', 'repeated_parameter', 'to'],
    ['/rates?from=USD&to=KES&%74o=NGN', 'repeated_parameter', 'to'],
    ['/rates?FROM=USD&to=KES', 'missing_parameter', 'from'],
    ['/rates?from=%E0%A4&to=KES', 'invalid_parameter', 'from'],
    [`/rates?from=${'A'.repeat(201)}&to=KES`, 'invalid_parameter', 'from'],
    ['/rates?from=USD,GBP&to=KES', 'unsupported_currency', 'from'],
    ['/rates?from=USD%00&to=KES', 'unsupported_currency', 'from'],
  ])('returns 400 for %s', async (path, code, parameter) => {
    const world = new World()
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(400)
    expect(body).toMatchObject({ code, parameter })
    expect(body.error).toContain(parameter)
  })
})
