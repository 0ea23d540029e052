import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Offer } from '~/domain/offer/terms.ts'
import { offer } from '../support/offers.ts'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
let ask: (name: string, args: Record<string, unknown>) => Promise<any>

beforeAll(async () => {
  tools = new ToolWorld()
  const { world } = tools
  world.reference({ NGN: 1500 }, { at: '2026-03-05T12:00:00Z' })
  const price = (providerId: string, fee: number, said: Partial<Offer>, to = 'KES') => ({
    ...{ providerId, from: 'USD', to, rate: to === 'KES' ? 128 : 1500, fee },
    offer: offer({ sourceCountry: 'US', amountMin: 200, amountMax: 200, ...said }),
  })
  const [kenya, nigeria] = [{ targetCountry: 'KE' }, { targetCountry: 'NG' }]
  world.quote(
    price('retail-a', 4, { ...kenya, payOut: ['mobile_money'] }),
    price('retail-b', 10, { ...kenya, payOut: ['cash'] }),
    price('retail-a', 12, { ...nigeria, payOut: ['cash'] }, 'NGN'),
    price('p2p-a', 20, nigeria, 'NGN'),
  )
  const session = await tools.connect(world.key())
  ask = async (name, args) => {
    const { isError, body } = await session.call(name, args)
    return { isError, ...body }
  }
})

afterAll(() => tools.stop())

type Pair = { source_country: string; target_country: string; pct: number; offers: number }
type Ranked = { provider_id: string; pct?: number; pairs: number }

describe('rank_costs of pairs', () => {
  test.each(['average', 'median', 'cheapest'])('has the numbers of get_costs: %s', async (by) => {
    const { isError, pairs, count } = await ask('rank_costs', { by })
    expect([isError, count]).toEqual([false, 2])
    for (const one of pairs as Pair[]) {
      const { source_country, target_country } = one
      const costs = await ask('get_costs', { source_country, target_country, amount_usd: 200 })
      const figures = {
        average: costs.average_pct,
        median: costs.median_pct,
        cheapest: costs.offers[0].cost.total_pct,
      }
      expect([one.pct, one.offers]).toEqual([figures[by as keyof typeof figures], costs.count])
    }
    const found = (pairs as Pair[]).map(({ pct }) => pct)
    expect(found).toEqual(found.toSorted((a, b) => a - b))
  })

  test('lists the dearest first on request, and a page names what is left out', async () => {
    const all = (await ask('rank_costs', { order: 'highest' })).pairs as Pair[]
    expect(all[0]!.pct).toBeGreaterThan(all[1]!.pct)
    const page = await ask('rank_costs', { order: 'highest', limit: 1, offset: 1 })
    expect(page.pairs).toEqual([all[1]])
    expect(page.note).toContain('this holds pairs 2 to 2 of 2')
  })

  test('counts only offers that state the way of paying, and pairs with enough of them', async () => {
    const byCash = await ask('rank_costs', { pay_out: 'cash' })
    expect((byCash.pairs as Pair[]).map(({ target_country: to, offers }) => [to, offers])).toEqual(
      expect.arrayContaining([
        ['KE', 1],
        ['NG', 1],
      ]),
    )
    expect((await ask('rank_costs', { pay_out: 'cash', count_min: 2 })).count).toBe(0)
  })

  test('says that smart is unknown if a pair has fewer than three offers', async () => {
    const { count, note } = await ask('rank_costs', { by: 'smart' })
    expect(count).toBe(0)
    expect(note).toContain('Of 2 more pairs smart is not known')
  })

  test('is marked as a sample', async () => {
    tools.world.memory.isSample = true
    expect((await ask('rank_costs', { limit: 2 })).sample).toBe(true)
    tools.world.memory.isSample = false
    expect((await ask('rank_costs', { limit: 2 })).sample).toBeUndefined()
  })

  test('says that nothing can be ranked', async () => {
    const { isError, count, pairs, note } = await ask('rank_costs', { source_country: 'Italy' })
    expect([isError, count, pairs]).toEqual([false, 0, []])
    expect(note).toBe('No offer matches, so nothing can be ranked.')
  })
})

describe('rank_costs of providers', () => {
  const OF = { of: 'providers' }

  test('has the mean of the cheapest offers of each, and how many pairs they are of', async () => {
    const { providers } = await ask('rank_costs', OF)
    const pairs = (providers as Ranked[]).map((one) => [one.provider_id, one.pairs])
    expect(pairs.toSorted()).toEqual([
      ['p2p-a', 1],
      ['retail-a', 2],
      ['retail-b', 1],
    ])
    const own = await ask('rank_costs', { provider: 'retail-a', by: 'cheapest' })
    const [a, b] = own.pairs as Pair[]
    const mean = (providers as Ranked[]).find((one) => one.provider_id === 'retail-a')!.pct!
    expect(mean).toBeCloseTo((a!.pct + b!.pct) / 2, 4)
  })

  test('has the smallest and the median cost of each over its pairs', async () => {
    const own = await ask('rank_costs', { provider: 'retail-a', by: 'cheapest' })
    const [low, high] = (own.pairs as Pair[]).map(({ pct }) => pct)
    const figureOf = async (by: string) => {
      const { providers } = await ask('rank_costs', { ...OF, by })
      return (providers as Ranked[]).find((one) => one.provider_id === 'retail-a')!.pct!
    }
    expect(low).toBeLessThan(high!)
    expect(await figureOf('cheapest')).toBe(low!)
    expect(await figureOf('median')).toBeCloseTo((low! + high!) / 2, 4)
  })

  test('starts by pairs with the provider that prices most of them', async () => {
    const { providers, order } = await ask('rank_costs', { ...OF, by: 'pairs' })
    expect([order, (providers as Ranked[])[0]!.provider_id]).toEqual(['highest', 'retail-a'])
  })

  test.each([
    [{ ...OF, by: 'smart' }, 'providers are not ranked by it'],
    [{ by: 'pairs' }, 'pairs are not ranked by it'],
    [{ provider: 'nobody at all' }, 'no provider is called'],
  ])('is refused for %j', async (args, error) => {
    const answer = await ask('rank_costs', args)
    expect([answer.isError, answer.code]).toEqual([true, 'invalid_parameter'])
    expect(answer.error).toContain(error)
  })
})

test('rank_costs counts as suspect only offers that count', async () => {
  const { world } = tools
  const price = (providerId: string, rate: number, fee: number | null) => ({
    ...{ providerId, from: 'USD', to: 'UGX', rate, fee },
    offer: offer({ sourceCountry: 'US', targetCountry: 'UG' }),
  })
  world.reference({ UGX: 3700 })
  world.quote(price('retail-a', 3700, 5), price('retail-b', 5000, 5), price('p2p-a', 5000, null))
  const { pairs } = await ask('rank_costs', { target_country: 'UG' })
  expect(pairs).toMatchObject([{ offers: 2, suspect: 1 }])
})
