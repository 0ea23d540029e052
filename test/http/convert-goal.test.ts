import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { netConverted } from '~/domain/convert.ts'
import { roundAmount } from '~/domain/round.ts'
import { convert } from '~/service/convert.ts'
import { viewOf } from '../support/views.ts'
import { World } from '../support/world.ts'

const ask = (world: World, query: string) =>
  world.get(`/convert?from=USD&to=KES&${query}`, world.key('enterprise'))

type Entry = { provider_id: string; send_amount: number | null; net_converted: number | null }

/** Two retail prices whose order depends on the amount, and an official one. */
function rivals(): World {
  const world = new World()
  world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
  world.quote(
    { providerId: 'retail-a', rate: 130, fee: 5, feeCurrency: 'USD' },
    { providerId: 'retail-b', rate: 125, fee: 0, feeCurrency: 'USD' },
    { providerId: 'official-a', rate: 131 },
  )
  return world
}

describe('GET /convert with recipient_gets', () => {
  test('returns 200 with the amount to send by each provider, the least first in each kind', async () => {
    const { status, body } = await ask(rivals(), 'recipient_gets=65000')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      amount: 505,
      recipient_gets: 65_000,
      mid: { rate: 130, converted: 65_650 },
      best: { provider_id: 'retail-a', send_amount: 505, converted: 65_650, net_converted: 65_000 },
      count: 3,
    })
    expect(body.providers.map((one: Entry) => [one.provider_id, one.send_amount])).toEqual([
      ['retail-a', 505],
      ['retail-b', 520],
      ['official-a', 496.183206107],
    ])
  })

  test('returns 200 with another best for a smaller amount, whose fee weighs more', async () => {
    const { body } = await ask(rivals(), 'recipient_gets=1250')
    expect(body).toMatchObject({ amount: 10, best: { provider_id: 'retail-b', send_amount: 10 } })
  })

  test('accepts an amount below every fee: the fee is added', async () => {
    const { body } = await ask(rivals(), 'recipient_gets=0.01')
    expect(body.best).toMatchObject({ provider_id: 'retail-b', send_amount: 0.00008 })
    expect(body.providers[1]).toMatchObject({ provider_id: 'retail-a', send_amount: 5.00007692308 })
  })

  test('puts offers that cannot be calculated last, without numbers and never as best', async () => {
    const world = new World()
    world.quote({ providerId: 'retail-a', rate: 130, fee: 2, feeCurrency: 'USDT' })
    world.quote({ providerId: 'p2p-a', rate: 1e-12 })
    const { body } = await ask(world, 'recipient_gets=1000000')
    expect(body).toMatchObject({ amount: null, recipient_gets: 1e6, best: null, mid: null })
    const nothing = { send_amount: null, converted: null, net_converted: null, cost: null }
    expect(body.providers).toMatchObject([nothing, nothing])
  })

  test('returns no amount, no best and a mid without a sum if there are no quotes', async () => {
    const world = new World()
    world.reference({ KES: 130 }, { at: '2026-03-05T14:00:00.000Z' })
    const { body } = await ask(world, 'recipient_gets=5')
    const mid = { rate: 130, converted: null }
    expect(body).toMatchObject({ amount: null, mid, best: null, providers: [], count: 0 })
  })

  test('returns no recipient_gets or send_amount without recipient_gets', async () => {
    const { body } = await ask(rivals(), 'amount=10')
    expect(body).not.toHaveProperty('recipient_gets')
    expect(body.best).not.toHaveProperty('send_amount')
  })

  test('returns 200 for a repeated request and for the hourly tier, each with its own prices', async () => {
    const world = rivals()
    world.quote({ providerId: 'retail-b', rate: 128, at: '2026-03-05T14:00:00.000Z' })
    const hourly = await world.get(
      '/convert?from=USD&to=KES&recipient_gets=1280',
      world.key('free'),
    )
    expect(hourly.body).toMatchObject({ amount: 10, data_freshness: 'hourly' })
    for (let i = 0; i < 3; i++)
      expect((await ask(world, 'recipient_gets=1250')).body.amount).toBe(10)
  })

  test.each([
    ['amount=5&recipient_gets=5', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=0', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=-1', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=1e400', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=1000000000000000.1', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=', 'invalid_parameter', 'recipient_gets'],
    ['recipient_gets=5&recipient_gets=5', 'repeated_parameter', 'recipient_gets'],
    ['recipient_gets=many', 'invalid_parameter', 'recipient_gets'],
    ['', 'missing_parameter', 'amount'],
  ])('returns 400 for %s', async (query, code, parameter) => {
    const { status, body } = await ask(rivals(), query)
    expect([status, body.code, body.parameter]).toEqual([400, code, parameter])
  })

  test('is the least sufficient amount by plain arithmetic, for any prices and fees', () => {
    const price = fc.record({
      rate: fc.integer({ min: 1, max: 1e6 }).map((units) => units / 1000),
      fee: fc.option(fc.integer({ min: 0, max: 1e5 }).map((cents) => cents / 100)),
      feeCurrency: fc.constantFrom('USD', 'KES', 'GBP'),
    })
    const scene = fc.record({
      prices: fc.array(price, { minLength: 1, maxLength: 2 }),
      gets: fc.integer({ min: 1, max: 1e7 }).map((cents) => cents / 100),
    })
    fc.assert(
      fc.property(scene, ({ prices, gets }) => {
        const world = new World()
        world.reference({ KES: 130, GBP: 0.8 }, { at: '2026-03-05T14:00:00.000Z' })
        for (const [i, one] of prices.entries())
          world.quote({ providerId: ['retail-a', 'retail-b'][i]!, ...one })
        const goal = { amount: null, recipientGets: gets } as const
        const { entries, best, amount } = convert(viewOf(world), { from: 'USD', to: 'KES', goal })
        const sent = entries.map((entry) => entry.sent!)
        expect(sent).toEqual(sent.toSorted((a, b) => a - b))
        expect([best?.sent, amount]).toEqual([sent[0]!, sent[0]!])
        for (const { ranked, net, sent } of entries) {
          const less = unitLess(sent!)
          expect(roundAmount(net!)).toBeGreaterThanOrEqual(gets)
          expect(netConverted(ranked.quote, less, 162.5)!).toBeLessThanOrEqual(gets)
        }
      }),
      { numRuns: 300 },
    )
  })
})

/** The next smaller number of 12 digits. */
function unitLess(amount: number): number {
  const exponent = Math.floor(Math.log10(amount))
  const unit = amount === 10 ** exponent ? exponent - 12 : exponent - 11
  return Number((amount - 10 ** unit).toPrecision(12))
}
