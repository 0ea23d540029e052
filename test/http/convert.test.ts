import { describe, expect, test } from 'bun:test'
import { plainOfferId } from '../support/offers.ts'
import { World } from '../support/world.ts'

const PATH = '/convert?from=USD&to=KES&amount=200'

type Entry = { provider_id: string; net_converted: number | null }

const MID_AT_QUOTE = { rate: 130, fetched_at: '2026-03-05T14:10:00.000Z', basis: 'single' }

describe('GET /convert', () => {
  test('returns 200 with every field, with the fee deducted in the target currency', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:10:00Z' })
    world.quote({ providerId: 'retail-a', rate: 129, fee: 2, feeCurrency: 'USD' })
    world.quote({ providerId: 'official-a', rate: 131.3 })
    const { status, body } = await world.get(PATH, world.key('enterprise'))
    expect(status).toBe(200)
    const best = {
      provider_id: 'retail-a',
      provider_name: 'Provider retail-a',
      rate: 129,
      fee: 2,
      fee_currency: 'USD',
      converted: 25_800,
      net_converted: 25_542,
      spread_bps: 0,
      vs_mid_bps: -76.9231,
      rate_type: 'retail',
      last_updated: '2026-03-05T14:25:30.500Z',
      is_stale: false,
      fee_stated: true,
      evidence: 'observed',
      mid_at_quote: MID_AT_QUOTE,
      margin_pct: 0.769231,
      offer_id: plainOfferId('retail-a'),
      cost: {
        fee_pct: 1,
        margin_pct: 0.769231,
        total_pct: 1.769231,
        total: 3.538462,
        currency: 'USD',
      },
    }
    expect(body).toEqual({
      from: 'USD',
      to: 'KES',
      amount: 200,
      mid: {
        rate: 130,
        converted: 26_000,
        source: 'feed',
        fetched_at: '2026-03-05T14:10:00.000Z',
        basis: 'single',
      },
      best,
      best_current: best,
      providers: [
        best,
        {
          provider_id: 'official-a',
          provider_name: 'Provider official-a',
          rate: 131.3,
          fee: null,
          fee_currency: null,
          converted: 26_260,
          net_converted: 26_260,
          spread_bps: 0,
          vs_mid_bps: 100,
          rate_type: 'official',
          last_updated: '2026-03-05T14:25:30.500Z',
          is_stale: false,
          fee_stated: false,
          evidence: 'observed',
          mid_at_quote: MID_AT_QUOTE,
          margin_pct: -1,
          cost: null,
          offer_id: plainOfferId('official-a'),
        },
      ],
      count: 2,
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'realtime',
    })
  })

  test('returns 200 with null for best without quotes, and null for mid without a feed', async () => {
    const world = new World()
    const { status, body } = await world.get(PATH, world.key('enterprise'))
    expect(status).toBe(200)
    expect(body).toEqual({
      from: 'USD',
      to: 'KES',
      amount: 200,
      mid: null,
      best: null,
      best_current: null,
      providers: [],
      count: 0,
      note: 'No provider quotes USD/KES at present.',
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'realtime',
    })
  })

  test('uses quotes and mids up to the top of the hour at the hourly tier', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    world.reference({ KES: 150 }, { at: '2026-03-05T14:00:00.001Z' })
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:00:00.000Z' })
    world.quote({ providerId: 'retail-a', rate: 149, at: '2026-03-05T14:00:00.001Z' })
    const { body } = await world.get(PATH, world.key('free'))
    expect(body).toMatchObject({
      mid: { rate: 130 },
      best: { rate: 129 },
      as_of: '2026-03-05T14:00:00.000Z',
      data_freshness: 'hourly',
    })
    const live = (await world.get(PATH, world.key('enterprise'))).body
    expect(live).toMatchObject({ mid: { rate: 150 }, best: { rate: 149 } })
    expect(live).not.toHaveProperty('as_of')
  })

  test('ranks by the net amount, not by the rate', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, fee: 10, feeCurrency: 'USD' })
    world.quote({ providerId: 'retail-b', rate: 128, fee: 0, feeCurrency: 'USD' })
    const { body } = await world.get(PATH, world.key())
    expect(body.providers.map((entry: Entry) => [entry.provider_id, entry.net_converted])).toEqual([
      ['retail-b', 25_600],
      ['retail-a', 24_700],
    ])
    expect(body.best.provider_id).toBe('retail-b')
    expect(body.providers[0].fee).toBe(0)
  })

  test('subtracts a fee in the target currency unchanged', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, fee: 300, feeCurrency: 'KES' })
    const { body } = await world.get(PATH, world.key())
    expect(body.best.net_converted).toBe(25_500)
  })

  test('prices a fee in a third currency by the mid', async () => {
    const world = new World()
    world.reference({ KES: 130, GBP: 0.8 })
    world.quote({ providerId: 'retail-a', rate: 129, fee: 2, feeCurrency: 'GBP' })
    const { body } = await world.get(PATH, world.key())
    expect(body.best.net_converted).toBe(25_800 - 2 * 162.5)
  })

  test('puts an entry whose fee has no mid last of its kind, never as best', async () => {
    const world = new World()
    world.reference({ KES: 130 })
    world.quote({ providerId: 'retail-a', rate: 140, fee: 2, feeCurrency: 'GBP' })
    world.quote({ providerId: 'retail-b', rate: 100 })
    const { body } = await world.get(PATH, world.key())
    expect(body.providers.map((entry: Entry) => [entry.provider_id, entry.net_converted])).toEqual([
      ['retail-b', 20_000],
      ['retail-a', null],
    ])
    expect(body.best.provider_id).toBe('retail-b')
  })

  test('returns no best if the only fee cannot be priced, or is at least the whole amount', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, fee: 2, feeCurrency: 'USDT' })
    world.quote({ providerId: 'retail-b', rate: 129, fee: 200, feeCurrency: 'USD' })
    world.quote({ providerId: 'p2p-a', rate: 129, fee: 201, feeCurrency: 'USD' })
    const { body } = await world.get(PATH, world.key())
    expect(body.best).toBeNull()
    expect(body.count).toBe(3)
    expect(body.providers.map(({ net_converted }: Entry) => net_converted)).toEqual([0, null, -129])
  })

  test('never takes an official or parallel entry as best', async () => {
    const world = new World()
    world.quote({ providerId: 'official-a', rate: 200 }, { providerId: 'parallel-a', rate: 300 })
    expect((await world.get(PATH, world.key())).body.best).toBeNull()
    world.quote({ providerId: 'interbank-a', rate: 100 })
    expect((await world.get(PATH, world.key())).body.best.provider_id).toBe('interbank-a')
  })

  test('returns 200 without a mid for stablecoins', async () => {
    const world = new World()
    world.reference({ KES: 130, USDT: 1 })
    world.quote({ providerId: 'p2p-a', rate: 131, from: 'USDT' })
    const { body } = await world.get('/convert?from=USDT&to=KES&amount=1', world.key())
    expect(body.mid).toBeNull()
    expect(body.best).not.toHaveProperty('vs_mid_bps')
  })

  test('returns 200 without binary noise', async () => {
    const world = new World()
    world.reference({ KES: 1.1 })
    world.quote({ providerId: 'retail-a', rate: 1.1, fee: 0.1, feeCurrency: 'USD' })
    const { body } = await world.get('/convert?from=USD&to=KES&amount=100', world.key())
    expect(body.mid.converted).toBe(110)
    expect(body.best).toMatchObject({ converted: 110, net_converted: 109.89 })
  })

  test.each([
    ['1000000000000000', 1e15],
    ['0.0000000000000000000000000000000000000001', 1e-40],
    ['200.50', 200.5],
    ['007', 7],
    ['+5', 5],
    ['%205%20', 5],
  ])('returns 200 for an amount of %s', async (text, amount) => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 100 })
    const path = `/convert?from=USD&to=KES&amount=${text}`
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(200)
    expect(body.amount).toBe(amount)
    expect(body.best.converted).toBe(Number((amount * 100).toPrecision(12)))
  })

  test.each([
    ...['0', '-0', '0.0', '-1', 'NaN', 'Infinity', '-Infinity', '1e3', '1e309', '0x10', '0b1'],
    ...['1,000', '1.', '.5', '1.2.3', '1_000', '١٢', 'ten', '%00', '5%00', '1%202', 'null', 'true'],
    ...[
      '1000000000000000.1',
      '1000000000000000.00000001',
      '1000000000000001',
      '9'.repeat(41),
      '9'.repeat(5000),
      '--1',
      '%2B5',
    ],
    ...['1%E2%80%8B', '%EF%BC%91', '5%', '%ff'],
  ])('returns 400 for an amount of %s', async (amount) => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 100 })
    const path = `/convert?from=USD&to=KES&amount=${amount}`
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(400)
    expect(body).toEqual({
      error: expect.stringContaining('amount'),
      code: 'invalid_parameter',
      parameter: 'amount',
    })
  })

  test.each([
    ['/convert?to=KES&amount=1', 'missing_parameter', 'from'],
    ['/convert?from=USD&amount=1', 'missing_parameter', 'to'],
    ['/convert?from=USD&to=KES', 'missing_parameter', 'amount'],
    ['/convert?from=USD&to=KES&amount=', 'invalid_parameter', 'amount'],
    ['/convert?from=USD&to=KES&amount=1&amount=1', 'repeated_parameter', 'amount'],
    ['/convert?from=SLL&to=KES&amount=1', 'unsupported_currency', 'from'],
    ['/convert?from=USD&to=SLL&amount=1', 'unsupported_currency', 'to'],
  ])('returns 400 for %s', async (path, code, parameter) => {
    const world = new World()
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(400)
    expect(body).toMatchObject({ code, parameter })
  })

  test('returns 400 for one currency on both sides', async () => {
    const world = new World()
    const { status, body } = await world.get('/convert?from=USD&to=usd&amount=1', world.key())
    expect([status, body.code]).toEqual([400, 'same_currency'])
  })
})
