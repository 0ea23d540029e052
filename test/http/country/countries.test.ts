import { beforeEach, describe, expect, test } from 'bun:test'
import { COUNTRIES } from '~/domain/offer/country.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { offer } from '../../support/offers.ts'
import { World } from '../../support/world.ts'

let world: World
let key: string

beforeEach(() => {
  world = new World()
  key = world.key()
})

type Price = Parameters<World['quote']>[0]

const price = (said: Partial<Offer>, more: Partial<Price> = {}): Price => ({
  ...{ providerId: 'retail-a', from: 'GBP', to: 'KES', rate: 150 },
  ...more,
  offer: offer({ sourceCountry: 'GB', targetCountry: 'KE', ...said }),
})

const asked = async (path: string) => {
  const { status, body } = await world.get(path, key)
  return { status, ...body }
}

const BRITAIN_TO_KENYA = {
  source_country: 'GB',
  target_country: 'KE',
  corridors: [{ from: 'GBP', to: 'KES' }],
  provider_count: 1,
  offer_count: 1,
  last_updated: '2026-03-05T14:25:30.500Z',
}

describe('GET /countries', () => {
  test('returns 200 with the countries of all supported currencies, and no pairs if offers name none', async () => {
    const { status, countries, country_count, pairs, pair_count, note } = await asked('/countries')
    const codes = countries.map(({ code }: { code: string }) => code)
    expect([status, pairs, pair_count, note]).toEqual([200, [], 0, undefined])
    expect(codes).toEqual([...codes].sort())
    expect(country_count).toBe(codes.length)
    const shown = (code: string) => countries.find((one: { code: string }) => one.code === code)
    expect(shown('GB')).toEqual({ code: 'GB', name: 'United Kingdom', currencies: ['GBP'] })
    expect(shown('SN')).toEqual({ code: 'SN', name: 'Senegal', currencies: ['XOF'] })
    expect(shown('ZW')).toEqual({ code: 'ZW', name: 'Zimbabwe', currencies: ['USD'] })
    expect([shown('GH'), shown('SL'), shown('AQ')]).toEqual([undefined, undefined, undefined])
  })

  test('returns 200 with each pair that offers name, in all its currencies, with counts', async () => {
    world.quote(
      price({ payOut: ['cash'], amountMax: 100 }, { at: '2026-03-01T00:00:00Z' }),
      price({ payOut: ['cash'], amountMin: 100 }, { at: '2026-03-02T00:00:00Z' }),
      price({ payOut: ['mobile_money'] }, { providerId: 'retail-b', at: '2026-03-03T00:00:00Z' }),
      price({}, { from: 'USD', at: '2026-03-04T00:00:00Z' }),
      price({ sourceCountry: 'FR' }, { from: 'EUR' }),
      price({ targetCountry: 'SN' }, { providerId: 'official-a' }),
      price({ targetCountry: null }),
    )
    const { status, pairs, pair_count } = await asked('/countries')
    expect([status, pair_count]).toEqual([200, 2])
    expect(pairs).toEqual([
      {
        ...BRITAIN_TO_KENYA,
        source_country: 'FR',
        corridors: [{ from: 'EUR', to: 'KES' }],
      },
      {
        ...BRITAIN_TO_KENYA,
        corridors: [
          { from: 'GBP', to: 'KES' },
          { from: 'USD', to: 'KES' },
        ],
        provider_count: 2,
        offer_count: 3,
        last_updated: '2026-03-04T00:00:00.000Z',
      },
    ])
  })

  test('returns 200 with a pair of countries that share a currency, and not with one country', async () => {
    const dollars = { from: 'USD', to: 'USD', rate: 1 }
    world.quote(
      price({ sourceCountry: 'US', targetCountry: 'LR' }, dollars),
      price({ sourceCountry: 'US', targetCountry: 'US' }, dollars),
    )
    const pair = { source_country: 'US', target_country: 'LR' }
    const corridor = { from: 'USD', to: 'USD' }
    const { pairs } = await asked('/countries')
    expect(pairs).toMatchObject([{ ...pair, corridors: [corridor], offer_count: 1 }])
    const { corridors } = await asked('/corridors?by=country')
    expect(corridors).toMatchObject([{ ...pair, ...corridor }])
    expect((await asked('/corridors')).count).toBe(0)
  })

  test('returns 200 with a country that only an offer names', async () => {
    world.quote(price({ targetCountry: 'GH' }))
    const { countries } = await asked('/countries')
    expect(countries).toContainEqual({ code: 'GH', name: 'Ghana', currencies: [] })
  })

  test('is recalculated when offers arrive and expire, and by the hour for an hourly key', async () => {
    const free = world.key('free')
    const counts = async () => [
      (await asked('/countries')).pair_count,
      (await world.get('/countries', free)).body.pair_count,
    ]
    for (let times = 0; times < 3; times++) expect(await counts()).toEqual([0, 0])
    world.quote(price({ validUntilMs: Date.parse('2026-03-05T15:30:00Z') }))
    for (let times = 0; times < 3; times++) expect(await counts()).toEqual([1, 0])
    world.clock.set('2026-03-05T15:00:00.001Z')
    for (let times = 0; times < 3; times++) expect(await counts()).toEqual([1, 1])
    world.clock.set('2026-03-05T15:30:00.001Z')
    expect(await counts()).toEqual([0, 1])
  })
})

describe('a list of 5,000 pairs', () => {
  const LISTED = 5000
  const codes = [...COUNTRIES.keys()].slice(0, 71)
  /** Several corridors, as each has all of its offers in one list. */
  const targets = ['KES', 'NGN', 'UGX', 'EUR', 'USD']
  const pairs = codes.flatMap((sourceCountry) =>
    codes.map((targetCountry, at) =>
      price({ sourceCountry, targetCountry }, { to: targets[at % targets.length]! }),
    ),
  )
  const notes = async () => {
    const countries = await asked('/countries')
    const { corridors, note } = await asked('/corridors?by=country')
    expect([countries.pairs.length, corridors.length]).toEqual([LISTED, LISTED])
    return [countries.pair_count, countries.note, note]
  }

  test('returns 200 in full, and with a note if there is one more', async () => {
    world.quote(...pairs.slice(0, LISTED))
    expect(await notes()).toEqual([LISTED, undefined, undefined])
    world.quote(pairs[LISTED]!)
    expect(await notes()).toEqual([
      5001,
      'These are the first 5000 of 5001 pairs; for others ask /corridors with by=country and ' +
        'source_country.',
      'These are the first 5000 of 5001; ask with source_country for others.',
    ])
    const { corridors } = await asked(`/corridors?by=country&source_country=${codes.at(-1)}`)
    expect(corridors).toHaveLength(31)
  })
})

describe('GET /corridors?by=country', () => {
  const shown = async (query = '') => {
    const { status, corridors, count, note } = await asked(`/corridors?by=country&${query}`)
    expect([status, count]).toEqual([200, corridors.length])
    return note ?? corridors
  }

  test('returns 200 with each corridor once for every two countries, by the offers that name them', async () => {
    world.quote(
      price({}),
      price({ payOut: ['cash'] }, { rate: 149, providerId: 'retail-b' }),
      price({ sourceCountry: 'IM' }, { rate: 160, at: '2026-02-01T00:00:00Z' }),
      price({ sourceCountry: null }, { rate: 170 }),
      price({}, { rate: 180, providerId: 'official-a' }),
      { providerId: 'retail-a', rate: 190, from: 'GBP' },
    )
    const corridor = { from: 'GBP', to: 'KES', target_country: 'KE' }
    expect(await shown()).toEqual([
      {
        ...corridor,
        source_country: 'GB',
        provider_count: 2,
        offer_count: 2,
        best_rate: 150,
        best_is_stale: false,
        best_last_updated: '2026-03-05T14:25:30.500Z',
        last_updated: '2026-03-05T14:25:30.500Z',
        avg_spread_bps: 33.3333,
      },
      {
        ...corridor,
        source_country: 'IM',
        provider_count: 1,
        offer_count: 1,
        best_rate: 160,
        best_is_stale: true,
        best_last_updated: '2026-02-01T00:00:00.000Z',
        last_updated: '2026-02-01T00:00:00.000Z',
        avg_spread_bps: 0,
      },
    ])
    expect((await asked('/corridors')).corridors).toHaveLength(1)
  })

  test('returns 200 with only the countries requested', async () => {
    world.quote(
      price({ payOut: ['cash'] }),
      price({ sourceCountry: 'FR', payOut: ['mobile_money'] }, { from: 'EUR' }),
      price({ sourceCountry: 'IT' }, { from: 'EUR', at: '2026-01-01T00:00:00Z' }),
    )
    const sources = async (query: string) =>
      (await shown(query)).map((one: { source_country: string }) => one.source_country)
    expect(await sources('')).toEqual(['FR', 'GB', 'IT'])
    expect(await sources('source_country=fr')).toEqual(['FR'])
    expect(await sources('pay_out=cash')).toEqual(['GB', 'IT'])
    expect(await sources('max_age=7d')).toEqual(['FR', 'GB'])
  })

  test('returns 200 with an empty list and a note with the reason', async () => {
    expect(await shown()).toBe('No provider quotes any corridor at present.')
    world.quote(price({ payOut: ['cash'] }, { at: '2026-01-01T00:00:00Z' }))
    expect(await shown('max_age=7d')).toBe(
      'Every price is older than max_age; the newest was seen on 2026-01-01.',
    )
    expect(await shown('pay_out=mobile_money&source_country=GB')).toBe(
      'No price fits the requested source_country and pay_out.',
    )
  })

  test('returns 400 for an unknown value', async () => {
    expect(await asked('/corridors?by=region')).toMatchObject({
      ...{ status: 400, code: 'invalid_parameter', parameter: 'by' },
      error: 'by cannot be used: it must be one of currency, country',
    })
  })
})
