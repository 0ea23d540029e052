import { describe, expect, test } from 'bun:test'
import { CURRENCIES, currency, provider } from '../support/catalogue.ts'
import { plainOfferId } from '../support/offers.ts'
import { World } from '../support/world.ts'

const PATH = '/rates/provider?provider=retail-a'
const TIMESTAMP = '2026-03-05T14:25:30.500Z'

describe('GET /rates/provider', () => {
  test('returns 200 with the provider and its latest quote in every corridor', async () => {
    const world = new World()
    const at = '2026-03-05T14:20:00.000Z'
    world.quote(
      { providerId: 'retail-a', rate: 129, fee: 1.5, feeCurrency: 'GBP', at },
      { providerId: 'retail-a', rate: 160, from: 'GBP', at },
      { providerId: 'retail-a', rate: 1500, to: 'NGN', at },
      { providerId: 'retail-b', rate: 999, to: 'UGX', at },
    )
    const { status, body } = await world.get(PATH, world.key('enterprise'))
    expect(status).toBe(200)
    const id = (corridor: string) => plainOfferId('retail-a', corridor)
    const more = { last_updated: at, is_stale: false, evidence: 'observed' }
    const free = { fee: null, fee_currency: null, fee_stated: false, ...more }
    const charged = { fee: 1.5, fee_currency: 'GBP', fee_stated: true, ...more }
    expect(body).toEqual({
      provider: {
        id: 'retail-a',
        name: 'Provider retail-a',
        provider_type: 'imto',
        rate_type: 'retail',
        region: null,
        transfer_time: 'minutes',
        website_url: null,
      },
      corridors: [
        { from: 'GBP', to: 'KES', rate: 160, ...free, offer_id: id('GBP/KES') },
        { from: 'USD', to: 'KES', rate: 129, ...charged, offer_id: id('USD/KES') },
        { from: 'USD', to: 'NGN', rate: 1500, ...free, offer_id: id('USD/NGN') },
      ],
      count: 3,
      timestamp: TIMESTAMP,
      data_freshness: 'realtime',
    })
  })

  test('uses the top of the hour at the hourly tier and says so', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129, at: '2026-03-05T14:00:00Z' })
    world.quote({ providerId: 'retail-a', rate: 130, at: '2026-03-05T14:00:00.001Z' })
    world.quote({ providerId: 'retail-a', rate: 1500, to: 'NGN', at: '2026-03-05T14:01:00Z' })
    const { body } = await world.get(PATH, world.key('free'))
    expect(body).toMatchObject({ count: 1, corridors: [{ rate: 129 }], data_freshness: 'hourly' })
    expect(body.as_of).toBe('2026-03-05T14:00:00.000Z')
  })

  test('returns 200 with an empty list for a provider without quotes', async () => {
    const world = new World()
    const { status, body } = await world.get(PATH, world.key())
    expect([status, body.count, body.corridors]).toEqual([200, 0, []])
  })

  test('leaves out corridors of inactive currencies', async () => {
    const world = new World()
    world.quote(
      { providerId: 'retail-a', rate: 129 },
      { providerId: 'retail-a', rate: 2, to: 'NGN' },
    )
    const currencies = [currency('USD'), currency('KES'), currency('NGN', { isActive: false })]
    const providers = [provider('retail-a')]
    world.memory.publish({ catalogue: { currencies, providers } }, world.clock.now())
    expect((await world.get(PATH, world.key())).body.count).toBe(1)
  })

  test.each(['nobody', 'RETAIL-A', 'retail', '__proto__', 'constructor', "';--", '%F0%9F%98%80'])(
    'returns 404 for %s, which is not a provider',
    async (id) => {
      const world = new World()
      const { status, body } = await world.get(`/rates/provider?provider=${id}`, world.key())
      expect(status).toBe(404)
      expect(body).toEqual({ error: expect.any(String), code: 'unknown_provider' })
    },
  )

  test('returns 404 once the provider is inactive', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 129 })
    const providers = [provider('retail-a', { isActive: false })]
    world.memory.publish({ catalogue: { currencies: CURRENCIES, providers } }, world.clock.now())
    expect((await world.get(PATH, world.key())).status).toBe(404)
  })

  test.each([
    ['/rates/provider', 'missing_parameter'],
    ['/rates/provider?provider=', 'invalid_parameter'],
    ['/rates/provider?provider=a&provider=a', 'repeated_parameter'],
    [`/rates/provider?provider=${'a'.repeat(101)}`, 'invalid_parameter'],
    ['/rates/provider?provider=%C3%28', 'invalid_parameter'],
  ])('returns 400 for %s', async (path, code) => {
    const world = new World()
    const { status, body } = await world.get(path, world.key())
    expect(status).toBe(400)
    expect(body).toMatchObject({ code, parameter: 'provider' })
  })

  test('returns 404 for an id of 100 characters, the longest possible', async () => {
    const world = new World()
    const { status } = await world.get(`/rates/provider?provider=${'a'.repeat(100)}`, world.key())
    expect(status).toBe(404)
  })
})
