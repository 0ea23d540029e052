import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Offer } from '~/domain/offer/terms.ts'
import { offer } from '../support/offers.ts'
import { ToolWorld } from './tool-world.ts'

let tools: ToolWorld
// biome-ignore lint/suspicious/noExplicitAny: a test says of a body what it expects
let ask: (name: string, args: Record<string, unknown>) => Promise<any>

type Entry = { provider_id: string; unspecified?: string[] }

const ITALY_TO_SENEGAL: Partial<Offer> = { sourceCountry: 'IT', targetCountry: 'SN' }

beforeAll(async () => {
  tools = new ToolWorld()
  const { world } = tools
  const price = (said: Partial<Offer> | null, rate: number, providerId: string) => ({
    ...{ providerId, rate, from: 'EUR', to: 'XOF', fee: 2, feeCurrency: 'EUR' },
    offer: said && offer(said),
  })
  world.quote(
    price({ ...ITALY_TO_SENEGAL, payOut: ['mobile_money'] }, 650, 'retail-a'),
    price({ ...ITALY_TO_SENEGAL, payOut: ['cash'] }, 655, 'retail-b'),
    price({ sourceCountry: 'FR', targetCountry: 'SN' }, 654, 'p2p-a'),
    price(null, 656, 'p2p-b'),
  )
  const session = await tools.connect(world.key())
  ask = async (name, args) => {
    const { isError, body } = await session.call(name, args)
    return { isError, ...body }
  }
})

afterAll(() => tools.stop())

describe('a person who wants to get 300 EUR from Italy to Senegal by mobile money', () => {
  test('is served by one call of convert, with what fits first and what is unspecified marked', async () => {
    const { isError, from, to, amount, best, providers } = await ask('convert', {
      ...{ amount: 300, source_country: 'IT', target_country: 'SN', pay_out: 'mobile_money' },
    })
    expect([isError, from, to, amount]).toEqual([false, 'EUR', 'XOF', 300])
    expect(best).toMatchObject({
      provider_id: 'retail-a',
      net_converted: 298 * 650,
      offer: { source_country: 'IT', target_country: 'SN', pay_out: ['mobile_money'] },
      amount_match: 'exact',
    })
    expect(best.unspecified).toBeUndefined()
    expect(providers.map((one: Entry) => [one.provider_id, one.unspecified])).toEqual([
      ['retail-a', undefined],
      ['p2p-b', ['source_country', 'target_country', 'pay_out']],
    ])
  })

  test('may name the amount to arrive, and one currency', async () => {
    const { isError, from, best } = await ask('convert', {
      ...{ recipient_gets: 193_700, to: 'xof', source_country: 'it', target_country: 'SN' },
      pay_out: ['mobile_money'],
    })
    expect([isError, from, best.send_amount]).toEqual([false, 'EUR', 300])
  })
})

describe('the currencies of countries', () => {
  test('are those of one country if the other is not named', async () => {
    const { from, to, providers } = await ask('convert', {
      ...{ amount: 300, source_country: 'IT', to: 'XOF' },
    })
    expect([from, to, providers.length]).toEqual(['EUR', 'XOF', 3])
    const { corridor } = await ask('get_rates', { from: 'EUR', target_country: 'SN' })
    expect(corridor).toBe('EUR/XOF')
  })

  test('are those with offers between the two, if a country has several', async () => {
    expect((await ask('get_rates', { source_country: 'US', target_country: 'LR' })).corridor).toBe(
      'USD/USD',
    )
  })

  test('may be given too, and then are used', async () => {
    const { corridor } = await ask('get_rates', {
      ...{ from: 'USD', to: 'KES', source_country: 'IT', target_country: 'SN' },
    })
    expect(corridor).toBe('USD/KES')
  })

  test('are refused by name if a country has none that is supported', async () => {
    expect(await ask('get_rates', { source_country: 'GB', target_country: 'GH' })).toEqual({
      isError: true,
      error: 'target_country cannot be used: no currency of Ghana is supported; give to',
      code: 'invalid_parameter',
      parameter: 'target_country',
    })
  })
})

describe('names of places', () => {
  const ROUTE = { amount: 300, from: 'EUR', source_country: 'IT' }

  test('that are cities mean their country, with a note', async () => {
    const { from, to, note } = await ask('convert', { ...ROUTE, target_country: 'Dakar' })
    expect([from, to]).toEqual(['EUR', 'XOF'])
    expect(note).toContain('"Dakar" was read as Senegal: prices are for countries')
    const rates = await ask('get_rates', { from: 'EUR', to: 'Nairobi' })
    expect([rates.isError, rates.to ?? rates.corridor]).toEqual([false, 'EUR/KES'])
    expect(rates.note).toContain('"Nairobi" was read as Kenya')
  })

  test.each([
    ['Malia', 'did you mean ML (Mali, Africa) or MT (Malta, Europe)?'],
    ['Guyena', 'did you mean GY (Guyana)?'],
    ['Lagoss', 'did you mean NG (Nigeria)?'],
    ['Gulff', 'is not a country'],
  ])('near to %j are suggested, with their continents if these differ', async (text, words) => {
    const { isError, error } = await ask('convert', { ...ROUTE, target_country: text })
    expect([isError, error]).toEqual([true, expect.stringContaining(words)])
    expect(error).not.toContain('French Guiana')
  })

  test('of unsupported countries suggest no currency of another continent', async () => {
    const { isError, error } = await ask('get_rates', { from: 'EUR', to: 'Guyena' })
    expect([isError, error]).toEqual([true, expect.stringContaining('"Guyena"')])
    expect(error).not.toContain('did you mean')
  })

  test('that are groups are refused with their countries if one country is required', async () => {
    const { isError, code, error } = await ask('convert', { ...ROUTE, target_country: 'the Gulf' })
    expect([isError, code]).toEqual([true, 'invalid_parameter'])
    expect(error).toContain('"the Gulf" may be AE (United Arab Emirates), BH (Bahrain)')
  })

  test('that are groups mean all their currencies in a list', async () => {
    const all = await ask('fetch_rates', { from: 'EUR', to: ['East African Community', 'WAEMU'] })
    expect([all.isError, all.quotes]).toEqual([false, ['USD', 'KES', 'UGX', 'XOF']])
    expect(all.note).toContain('"East African Community" was read as USD, KES, UGX')
  })
})

describe('get_costs', () => {
  const ROUTE = { source_country: 'IT', target_country: 'SN', amount: 300 }

  test('distinguishes pages, and repeats common facts of all offers on each', async () => {
    const first = await ask('get_costs', { ...ROUTE, limit: 1 })
    const second = await ask('get_costs', { ...ROUTE, limit: 1, offset: 1 })
    expect([first.offers[0].provider_id, second.offers[0].provider_id]).toEqual([
      'retail-b',
      'retail-a',
    ])
    expect([first.next_offset, first.count, second.count]).toEqual([1, 2, 2])
    expect(first.note).toContain('this holds offers 1 to 1 of 2')
    expect(second.average_pct).toBe(first.average_pct)
  })
})
