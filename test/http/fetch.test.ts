import { describe, expect, test } from 'bun:test'
import { offer } from '../support/offers.ts'
import { World } from '../support/world.ts'

const FETCHED = '2026-03-05T14:00:00.000Z'
const TIMESTAMP = '2026-03-05T14:25:30.500Z'
const LIVE = { timestamp: TIMESTAMP, data_freshness: 'realtime' }

function fed(): World {
  const world = new World()
  const rates = { GBP: 0.8, EUR: 0.9, KES: 130, NGN: 1500, UGX: 3700, XOF: 600, ZAR: 18 }
  world.reference(rates, { at: FETCHED })
  return world
}

const codes = (count: number): string => Array.from({ length: count }, (_, i) => `X${i}`).join()

const freshBest = (rate: number, providerId: string, at: string) => ({
  rate,
  provider_id: providerId,
  last_updated: at,
  is_stale: false,
  evidence: 'observed',
  offer_id: expect.stringMatching(/^[0-9a-f]{12}$/),
})

describe('GET /fetch-one', () => {
  test('returns the best of the offers that represent providers, with its conditions', async () => {
    const world = fed()
    world.quote(
      { providerId: 'retail-a', rate: 140, at: '2026-02-05T14:00:00.000Z' },
      { providerId: 'retail-a', rate: 129, at: FETCHED, offer: offer({ payOut: ['cash'] }) },
      { providerId: 'retail-b', rate: 128, at: FETCHED },
    )
    const { body } = await world.get('/fetch-one?from=USD&to=KES', world.key())
    const id = expect.stringMatching(/^[0-9a-f]{12}$/)
    const shown = { id, pay_out: ['cash'] }
    expect(body.provider_best).toEqual({ ...freshBest(129, 'retail-a', FETCHED), offer: shown })
  })

  test('returns 200 with the mid and the best executable quote', async () => {
    const world = fed()
    const at = '2026-03-05T14:20:00.000Z'
    world.quote({ providerId: 'retail-a', rate: 129, at }, { providerId: 'official-a', rate: 131 })
    const { status, body } = await world.get('/fetch-one?from=usd&to=kes', world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      base: 'USD',
      quote: 'KES',
      mid: 130,
      basis: 'single',
      provider_best: freshBest(129, 'retail-a', at),
      source: 'feed',
      fetched_at: FETCHED,
      ...LIVE,
    })
  })

  test('uses the top of the hour at the hourly tier and says so', async () => {
    const world = fed()
    world.reference({ KES: 140 }, { at: '2026-03-05T14:00:00.001Z' })
    world.quote({ providerId: 'retail-a', rate: 128, at: FETCHED })
    world.quote({ providerId: 'retail-a', rate: 139, at: '2026-03-05T14:00:00.001Z' })
    const { body } = await world.get('/fetch-one?from=USD&to=KES', world.key('free'))
    expect(body).toEqual({
      base: 'USD',
      quote: 'KES',
      mid: 130,
      basis: 'single',
      provider_best: freshBest(128, 'retail-a', FETCHED),
      source: 'feed',
      fetched_at: FETCHED,
      timestamp: TIMESTAMP,
      data_freshness: 'hourly',
      as_of: '2026-03-05T14:00:00.000Z',
    })
  })

  test('returns 200 with a null best for a pair without executable quotes', async () => {
    const world = fed()
    world.quote({ providerId: 'official-a', rate: 131 })
    const { body } = await world.get('/fetch-one?from=USD&to=KES', world.key())
    expect(body.provider_best).toBeNull()
    expect(body.mid).toBe(130)
  })

  test('returns the identity for a currency against itself, whatever is quoted or fed', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 9, from: 'KES', to: 'KES' })
    for (const code of ['KES', 'USD', 'USDT']) {
      const { body } = await world.get(`/fetch-one?from=${code}&to=${code}`, world.key())
      expect(body).toEqual({ base: code, quote: code, mid: 1, provider_best: null, ...LIVE })
    }
  })

  test('serves a stablecoin pair without a mid, even while the feed is down', async () => {
    for (const [world, note] of [
      [fed(), 'USDT: USDT is a stablecoin, which no reference feed covers.'],
      [
        new World(),
        'USDT, KES: USDT is a stablecoin, which no reference feed covers; ' +
          'no reference feed has covered KES so far.',
      ],
    ] as const) {
      world.quote({ providerId: 'p2p-a', rate: 131, from: 'USDT', at: FETCHED })
      const { status, body } = await world.get('/fetch-one?from=USDT&to=KES', world.key())
      expect(status).toBe(200)
      expect(body).toEqual({
        base: 'USDT',
        quote: 'KES',
        provider_best: freshBest(131, 'p2p-a', FETCHED),
        note: `There is no mid for pairs with ${note}`,
        ...LIVE,
      })
    }
  })

  test('returns 503 with Retry-After from the millisecond at which the feed is stale', async () => {
    const world = fed()
    const key = world.key()
    world.clock.set('2026-03-08T14:00:00.000Z')
    expect((await world.get('/fetch-one?from=USD&to=KES', key)).status).toBe(200)
    world.clock.advance(1)
    const { status, body, headers } = await world.get('/fetch-one?from=USD&to=KES', key)
    expect(status).toBe(503)
    expect(body).toEqual({ error: expect.stringContaining('USD/KES'), code: 'mid_unavailable' })
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(headers.get('x-data-freshness')).toBeNull()
  })

  test("returns 503 before the feed's first rate, and at the hourly tier before its hour", async () => {
    const world = new World()
    expect((await world.get('/fetch-one?from=USD&to=KES', world.key())).status).toBe(503)
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.001Z' })
    expect((await world.get('/fetch-one?from=USD&to=KES', world.key('free'))).status).toBe(503)
    expect((await world.get('/fetch-one?from=USD&to=KES', world.key())).status).toBe(200)
  })

  test('returns 200 without a mid for a fiat currency that a working feed has never covered', async () => {
    const world = new World()
    world.reference({ KES: 130 })
    const { status, body } = await world.get('/fetch-one?from=USD&to=NGN', world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      base: 'USD',
      quote: 'NGN',
      provider_best: null,
      note: 'There is no mid for pairs with NGN: no reference feed has covered NGN so far.',
      ...LIVE,
    })
  })

  test('returns 200 without a mid for a currency that a working feed no longer covers', async () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1500 }, { at: '2026-03-01T00:00:00Z' })
    world.reference({ KES: 130 })
    world.quote({ providerId: 'retail-a', rate: 11, from: 'KES', to: 'NGN', at: FETCHED })
    const { status, body } = await world.get('/fetch-one?from=KES&to=NGN', world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      base: 'KES',
      quote: 'NGN',
      provider_best: freshBest(11, 'retail-a', FETCHED),
      note:
        'There is no mid for pairs with NGN: ' +
        'the last reference for NGN is of 2026-03-01T00:00:00.000Z, which is too old.',
      ...LIVE,
    })
  })
})

describe('GET /fetch-multi', () => {
  test('maps every quote code to its pair', async () => {
    const world = fed()
    const at = '2026-03-05T14:20:00.000Z'
    world.quote({ providerId: 'retail-a', rate: 129, at })
    const path = '/fetch-multi?from=USD&to=KES,ngn,%20USDT%20,USD'
    const { status, text, body } = await world.get(path, world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      base: 'USD',
      results: {
        KES: {
          mid: 130,
          basis: 'single',
          provider_best: freshBest(129, 'retail-a', at),
        },
        NGN: { mid: 1500, basis: 'single', provider_best: null },
        USDT: { provider_best: null },
        USD: { mid: 1, provider_best: null },
      },
      count: 4,
      source: 'feed',
      fetched_at: FETCHED,
      note:
        'There is no mid for pairs with USDT: ' +
        'USDT is a stablecoin, which no reference feed covers.',
      ...LIVE,
    })
    expect(text.indexOf('"KES"')).toBeLessThan(text.indexOf('"NGN"'))
  })

  test('counts a code named twice once, and keeps the order', async () => {
    const world = fed()
    const path = '/fetch-multi?from=USD&to=NGN,KES,ngn, NGN,KES'
    const { body } = await world.get(path, world.key())
    expect(Object.keys(body.results)).toEqual(['NGN', 'KES'])
    expect(body.count).toBe(2)
  })

  test('returns 200 for one code named 25 times, since only distinct codes count', async () => {
    const world = fed()
    const path = `/fetch-multi?from=USD&to=${Array(25).fill('KES').join()}`
    expect((await world.get(path, world.key())).body.count).toBe(1)
  })

  test('returns 400 with the limit for 21 codes, and 200 for 20', async () => {
    const world = fed()
    const over = await world.get(`/fetch-multi?from=USD&to=${codes(21)}`, world.key())
    expect(over.status).toBe(400)
    expect(over.body).toEqual({
      error: expect.stringContaining('20'),
      code: 'invalid_parameter',
      parameter: 'to',
    })
    const at = await world.get(`/fetch-multi?from=USD&to=${codes(20)}`, world.key())
    expect([at.status, at.body.code]).toEqual([400, 'unsupported_currency'])
  })

  test('joins the names of the feeds and uses the time of the oldest leg', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { source: 'a', at: '2026-03-05T10:00:00.000Z' })
    world.reference({ NGN: 1500 }, { source: 'b', at: '2026-03-05T09:00:00.000Z' })
    const { body } = await world.get('/fetch-multi?from=USD&to=KES,NGN', world.key())
    expect([body.source, body.fetched_at]).toEqual(['a+b', '2026-03-05T09:00:00.000Z'])
  })

  test('keeps the mids of all pairs except those of a currency that is no longer covered, at every tier', async () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1500 }, { at: '2026-03-01T00:00:00Z' })
    world.reference({ KES: 130 }, { at: FETCHED })
    for (const plan of ['enterprise', 'free'] as const) {
      const reply = await world.get('/fetch-multi?from=USD&to=KES,NGN', world.key(plan))
      expect([reply.status, reply.body]).toEqual([
        200,
        {
          base: 'USD',
          results: {
            KES: { mid: 130, basis: 'single', provider_best: null },
            NGN: { provider_best: null },
          },
          count: 2,
          source: 'feed',
          fetched_at: FETCHED,
          note: expect.stringMatching(/ NGN: .* 2026-03-01T00:00:00.000Z/),
          timestamp: TIMESTAMP,
          data_freshness: plan === 'free' ? 'hourly' : 'realtime',
          ...(plan === 'free' && { as_of: FETCHED }),
        },
      ])
    }
  })

  test('returns 503 once no currency has a recent reference, until a later reference comes', async () => {
    const world = new World()
    world.reference({ KES: 130, NGN: 1500 }, { at: '2026-03-01T00:00:00Z' })
    const key = world.key()
    const ask = async () => (await world.get('/fetch-multi?from=USD&to=KES,NGN', key)).status
    expect(await ask()).toBe(503)
    world.reference({ ZAR: 18 })
    expect(await ask()).toBe(200)
  })
})

describe('GET /fetch-matrix', () => {
  test('maps base to quote to pair', async () => {
    const world = fed()
    const { status, body } = await world.get('/fetch-matrix?from=USD,GBP&to=KES,GBP', world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      bases: ['USD', 'GBP'],
      quotes: ['KES', 'GBP'],
      results: {
        USD: {
          KES: { mid: 130, basis: 'single', provider_best: null },
          GBP: { mid: 0.8, basis: 'single', provider_best: null },
        },
        GBP: {
          KES: { mid: 162.5, basis: 'single', provider_best: null },
          GBP: { mid: 1, provider_best: null },
        },
      },
      source: 'feed',
      fetched_at: FETCHED,
      ...LIVE,
    })
  })

  test('costs one unit for 10 by 10, and returns 400 for 11 on either side', async () => {
    const world = fed()
    const key = world.key('free')
    const ten = 'USD,GBP,EUR,KES,NGN,UGX,XOF,ZAR,USDT,USDC'
    const { status, body, headers } = await world.get(`/fetch-matrix?from=${ten}&to=${ten}`, key)
    expect(status).toBe(200)
    expect(Object.keys(body.results)).toEqual(ten.split(','))
    expect(headers.get('x-ratelimit-remaining')).toBe('49')
    for (const [path, parameter] of [
      [`/fetch-matrix?from=${codes(11)}&to=${codes(11)}`, 'from'],
      [`/fetch-matrix?from=USD&to=${codes(11)}`, 'to'],
    ] as const) {
      const over = await world.get(path, key)
      expect(over.status).toBe(400)
      expect(over.body).toMatchObject({ code: 'invalid_parameter', parameter })
    }
  })
})

describe('GET /fetch-many-to-one', () => {
  test('maps every base code to its pair', async () => {
    const world = fed()
    const path = '/fetch-many-to-one?from=USD,GBP,KES&to=KES'
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(200)
    expect(body).toEqual({
      quote: 'KES',
      results: {
        USD: { mid: 130, basis: 'single', provider_best: null },
        GBP: { mid: 162.5, basis: 'single', provider_best: null },
        KES: { mid: 1, provider_best: null },
      },
      count: 3,
      source: 'feed',
      fetched_at: FETCHED,
      ...LIVE,
    })
  })

  test('returns 400 with the limit for 21 bases, and 200 for 20', async () => {
    const world = fed()
    const over = await world.get(`/fetch-many-to-one?from=${codes(21)}&to=KES`, world.key())
    expect(over.body).toMatchObject({ code: 'invalid_parameter', parameter: 'from' })
    const at = await world.get(`/fetch-many-to-one?from=${codes(20)}&to=KES`, world.key())
    expect(at.body.code).toBe('unsupported_currency')
  })
})

describe('the fetch family', () => {
  const paths = ['/fetch-one', '/fetch-multi', '/fetch-matrix', '/fetch-many-to-one']

  test.each(paths)(
    '%s returns 400 with the supported currencies for an unsupported one',
    async (path) => {
      const world = fed()
      for (const [query, parameter] of [
        ['from=SLL&to=KES', 'from'],
        ['from=USD&to=SLL', 'to'],
      ]) {
        const { status, body } = await world.get(`${path}?${query}`, world.key())
        expect(status).toBe(400)
        expect(body).toMatchObject({ code: 'unsupported_currency', parameter })
        expect(body.supported_currencies).toContain('USDT')
        expect(body.supported_currencies).not.toContain('SLL')
      }
    },
  )

  test.each(paths)(
    '%s returns 400 for lists with empty items, and for missing sides',
    async (path) => {
      const world = fed()
      for (const query of [
        ...['', 'from=USD', 'to=KES', 'from=&to=KES', 'from=USD&to=', 'from=USD&to=,'],
        ...['from=USD,,EUR&to=KES,,NGN', 'from=USD,&to=KES,', 'from=USD&to=KES&to='],
        ...['from=%ff&to=KES', 'from=USD&to=%E0%A4%A'],
      ]) {
        const { status, body } = await world.get(`${path}?${query}`, world.key())
        expect([query, status]).toEqual([query, 400])
        expect(body.code).toMatch(/_parameter$|^unsupported_currency$/)
        expect(['from', 'to']).toContain(body.parameter)
      }
    },
  )

  test.each([
    ['/fetch-one?from=USD,GBP&to=KES', 'from', '/fetch-many-to-one and /fetch-matrix'],
    ['/fetch-one?from=USD&to=KES,NGN', 'to', '/fetch-multi and /fetch-matrix'],
    ['/fetch-multi?from=USD,GBP&to=KES', 'from', '/fetch-many-to-one and /fetch-matrix'],
    ['/fetch-many-to-one?from=USD&to=KES,NGN', 'to', '/fetch-multi and /fetch-matrix'],
  ])(
    'returns 400 for %s: that side takes one code, and another path takes lists',
    async (path, parameter, where) => {
      const world = fed()
      const { status, body } = await world.get(path, world.key())
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'unsupported_currency', parameter })
      expect(body.error).toContain(where)
    },
  )

  test.each(paths)('%s returns 400 with every unsupported currency', async (path) => {
    const world = fed()
    const { status, body } = await world.get(`${path}?from=SLL&to=XXX`, world.key())
    expect([status, body.parameter]).toEqual([400, 'from'])
    expect(body.error).toStartWith('from: "SLL"; to: "XXX" are not')
  })

  test.each([
    ['/fetch-multi?from=USD', 'to=KES&to=NGN,GBP&to=kes', 'to=KES,NGN,GBP'],
    ['/fetch-many-to-one?to=USD', 'from=KES&from=NGN', 'from=KES,NGN'],
    ['/fetch-matrix?from=USD', 'from=GBP&to=KES&to=NGN', 'to=KES,NGN'],
  ])('%s joins repeated lists: %s', async (path, repeated, joined) => {
    const world = fed()
    const whole = path.includes('matrix') ? path.replace('USD', 'USD,GBP') : path
    const { status, text } = await world.get(`${path}&${repeated}`, world.key())
    expect([status, text]).toEqual([200, (await world.get(`${whole}&${joined}`, world.key())).text])
  })

  test('returns 400 for a side of one code that is given twice', async () => {
    const world = fed()
    for (const path of [
      '/fetch-one?from=USD&to=KES&to=NGN',
      '/fetch-multi?from=USD&from=GBP&to=KES',
    ])
      expect((await world.get(path, world.key())).body.code).toBe('repeated_parameter')
  })
})
