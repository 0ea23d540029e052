import { beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS } from '~/domain/duration.ts'
import { offerId } from '~/domain/offer/id.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { CURRENCIES, currency, PROVIDERS } from '../../support/catalogue.ts'
import { offer } from '../../support/offers.ts'
import { quote } from '../../support/quotes.ts'
import { World } from '../../support/world.ts'

const REFERENCES = { GBP: 0.8, EUR: 0.9, KES: 120, XOF: 600, NGN: 1500 }
const GB_KE: Partial<Offer> = { sourceCountry: 'GB', targetCountry: 'KE' }

let world: World
let key: string

beforeEach(() => {
  world = new World()
  world.reference(REFERENCES)
  key = world.key()
})

type Price = Parameters<World['quote']>[0]

/** A price at the mid of GBP/KES from Great Britain to Kenya, with the fields that a test sets. */
const price = (said: Partial<Offer>, more: Partial<Price> = {}): Price => ({
  providerId: 'retail-a',
  from: 'GBP',
  to: 'KES',
  rate: 150,
  fee: 1,
  feeCurrency: 'GBP',
  ...more,
  offer: offer({ ...GB_KE, ...said }),
})

type Shown = {
  provider_id: string
  amount_match: string
  at_amount: number
  cost: Record<string, number>
}

const costs = async (query: string) => {
  const { status, body } = await world.get(`/costs?${query}`, key)
  return { status, ...body }
}

const ROUTE = 'source_country=GB&target_country=KE'

describe('GET /costs', () => {
  test('returns 200 with every offer by total_pct, cheapest first, and statistics of their costs', async () => {
    world.quote(
      price({ payOut: ['mobile_money'] }, { fee: 4 }),
      price({ payOut: ['cash'] }, { fee: 2, rate: 147 }),
      price({}, { providerId: 'retail-b', fee: 0, rate: 147.75 }),
      price({}, { providerId: 'p2p-a', fee: 10 }),
    )
    const { offers, ...others } = await costs(`${ROUTE}&amount=100`)
    expect(offers.map((one: Shown) => [one.provider_id, one.cost.total_pct])).toEqual([
      ['retail-b', 1.5],
      ['retail-a', 4],
      ['retail-a', 4],
      ['p2p-a', 10],
    ])
    const named = (id: string, total: number) => ({
      offer_id: expect.stringMatching(/^[0-9a-f]{12}$/),
      provider_id: id,
      provider_name: `Provider ${id}`,
      total_pct: total,
    })
    expect(others).toEqual({
      status: 200,
      suspect: 0,
      out_of_range: 0,
      average_excluding_suspect_pct: 4.875,
      source_country: 'GB',
      target_country: 'KE',
      from: 'GBP',
      to: 'KES',
      amount: 100,
      count: 4,
      average_pct: 4.875,
      median_pct: 4,
      smart: {
        pct: 3.166667,
        offers: [named('retail-b', 1.5), named('retail-a', 4), named('retail-a', 4)],
        unchecked: ['speed', 'accessibility'],
      },
      meets: { sdg_3: false, sdg_5: true, g20_1: false },
      timestamp: '2026-03-05T14:25:30.500Z',
      data_freshness: 'realtime',
    })
  })

  test('returns 200 with every known field of an offer', async () => {
    world.quote(price({ feePercent: 1.5, payIn: ['cash'], deliveryMaxMs: DAY_MS }, { rate: 147 }))
    const said = offer({ sourceCountry: 'GB', targetCountry: 'KE', payIn: ['cash'] })
    const id = offerId(quote({ from: 'GBP', offer: said }))
    expect((await costs(`${ROUTE}&amount=200`)).offers).toEqual([
      {
        provider_id: 'retail-a',
        provider_name: 'Provider retail-a',
        rate: 147,
        fee: 1,
        fee_currency: 'GBP',
        rate_type: 'retail',
        last_updated: '2026-03-05T14:25:30.500Z',
        is_stale: false,
        fee_stated: true,
        evidence: 'observed',
        mid_at_quote: { rate: 150, fetched_at: '2026-03-05T14:25:30.500Z', basis: 'single' },
        margin_pct: 2,
        cost: { fee_pct: 2, margin_pct: 2, total_pct: 4, total: 8, currency: 'GBP' },
        offer_id: id,
        offer: {
          id,
          source_country: 'GB',
          target_country: 'KE',
          pay_in: ['cash'],
          fee_percent: 1.5,
          delivery_max: 'P1D',
        },
        amount_match: 'exact',
        at_amount: 200,
      },
    ])
  })

  test('returns 200 with one band of each offer: the exact one, else the nearest at its own amount', async () => {
    world.quote(
      price({ amountMin: 1, amountMax: 50 }, { fee: 1 }),
      price({ amountMin: 50, amountMax: 200 }, { fee: 4 }),
      price({ amountMin: 120, amountMax: 120 }, { fee: 6, providerId: 'retail-b' }),
    )
    const shown = async (amount: number) =>
      (await costs(`${ROUTE}&amount=${amount}`)).offers.map((one: Shown) => [
        ...[one.provider_id, one.amount_match, one.at_amount, one.cost?.fee_pct],
      ])
    expect(await shown(100)).toEqual([
      ['retail-a', 'exact', 100, 4],
      ['retail-b', 'nearest', 120, 5],
    ])
    expect(await shown(50)).toEqual([
      ['retail-a', 'exact', 50, 2],
      ['retail-b', 'out_of_range', 120, undefined],
    ])
    expect(await shown(400)).toEqual([
      ['retail-a', 'nearest', 200, 2],
      ['retail-b', 'out_of_range', 120, undefined],
    ])
    const far = await costs(`${ROUTE}&amount=1000`)
    expect(far).toMatchObject({ average_pct: null, smart: null, count: 2, out_of_range: 2 })
    expect(far.note).toBe('Prices of GBP/KES are known for 0.5 to 400 GBP.')
  })

  test('converts dollars to the source currency at the mid', async () => {
    world.quote(price({}, { fee: 1.6 }))
    const { amount, amount_usd, offers } = await costs(`${ROUTE}&amount_usd=200`)
    expect([amount, amount_usd, offers[0].cost.fee_pct]).toEqual([160, 200, 1])
  })

  test('returns 200 with an empty list and a note if no recent mid converts the dollars', async () => {
    const bare = new World()
    bare.quote(price({}))
    const { status, body } = await bare.get(`/costs?${ROUTE}&amount_usd=200`, bare.key())
    expect([status, body.amount, body.amount_usd, body.count, body.note]).toEqual([
      ...[200, null, 200, 0],
      'GBP has no recent mid to convert amount_usd; send amount instead.',
    ])
  })

  test('returns 200 with null statistics if no offer has a cost', async () => {
    world.quote(price({}, { fee: null, feeCurrency: null }))
    const { status, offers, average_pct, median_pct, smart, meets, count } = await costs(
      `${ROUTE}&amount=5`,
    )
    expect([status, offers[0].cost, offers[0].fee_stated, count]).toEqual([200, null, false, 1])
    expect([average_pct, median_pct, smart, meets]).toEqual([null, null, null, null])
  })

  test('returns 200 without prices that do not name both countries, or that are not executable', async () => {
    world.quote(
      price({ targetCountry: null }),
      price({ sourceCountry: 'FR' }, { providerId: 'retail-b' }),
      price({}, { providerId: 'official-a' }),
      { ...price({}), providerId: 'p2p-a', offer: null },
    )
    expect(await costs(`${ROUTE}&amount=5`)).toMatchObject({
      status: 200,
      offers: [],
      count: 0,
      average_pct: null,
      note: 'No offer in GBP/KES says that it is for GB to KE.',
    })
  })

  test('uses the first currencies of the countries that have offers, and notes the others', async () => {
    const said = { sourceCountry: 'US', targetCountry: 'LR' }
    const dollars = { ...price(said), from: 'USD', to: 'USD', rate: 1, feeCurrency: 'USD' }
    world.quote({ ...dollars, fee: 5 })
    const asked = 'source_country=us&target_country=lr&amount=100'
    const found = await costs(asked)
    expect([found.status, found.from, found.to, found.average_pct]).toEqual([200, 'USD', 'USD', 5])
    expect(found.offers[0].margin_pct).toBe(0)
    expect(await costs(`${asked}&to=KES`)).toMatchObject({
      ...{ from: 'USD', to: 'KES', count: 0 },
      note:
        'No offer in USD/KES says that it is for US to LR. US to LR has offers in USD/USD too; ' +
        'ask for them with from and to.',
    })
  })

  test('uses the currency that has offers if a country has several', async () => {
    const currencies = [...CURRENCIES, currency('LRD')]
    world.memory.publish({ catalogue: { currencies, providers: PROVIDERS } }, world.clock.now())
    world.reference({ ...REFERENCES, LRD: 200 })
    const said = { sourceCountry: 'GB', targetCountry: 'LR' }
    const pair = async (query = '') => {
      const asked = `source_country=GB&target_country=LR&amount=100${query}`
      const { to, count, note } = await costs(asked)
      return [to, count, note]
    }
    const none = 'No offer in GBP/USD says that it is for GB to LR.'
    expect(await pair()).toEqual(['USD', 0, none])
    world.quote(price(said, { to: 'LRD', rate: 250 }))
    expect(await pair()).toEqual(['LRD', 1, undefined])
    world.quote(price(said, { to: 'USD', rate: 1.25 }))
    const others = 'GB to LR has offers in GBP/LRD too; ask for them with from and to.'
    expect(await pair()).toEqual(['USD', 1, others])
    expect(await pair('&to=lrd')).toEqual(['LRD', 1, others.replace('LRD', 'USD')])
  })

  test('returns 200 with a note if no currency of a country is supported', async () => {
    expect(await costs('source_country=GB&target_country=AQ&amount=5')).toMatchObject({
      ...{ status: 200, from: null, to: null, amount: 5, count: 0 },
      note: 'No currency of one of the countries is supported; /currencies lists all.',
    })
  })

  test('returns 200 within one country, in the requested currencies', async () => {
    world.quote(price({ targetCountry: 'GB' }))
    const asked = 'source_country=GB&target_country=gb&amount=5'
    expect((await costs(asked)).note).toBe('No offer in GBP/GBP says that it is for GB to GB.')
    expect((await costs(`${asked}&to=KES`)).count).toBe(1)
    const { body } = await world.get('/countries', key)
    expect(body.pairs).toMatchObject([{ source_country: 'GB', target_country: 'GB' }])
  })

  test('returns 200 with a note if the cheapest price is stale', async () => {
    world.reference(REFERENCES, { at: '2026-02-01T00:00:00Z' })
    world.quote(price({}, { at: '2026-02-02T00:00:00Z' }))
    const { offers, note } = await costs(`${ROUTE}&amount=100`)
    expect([offers[0].is_stale, note]).toEqual([
      true,
      'The best price was seen on 2026-02-02 and may no longer be available.',
    ])
  })

  test('returns 200 with the prices of the top of the hour for an hourly key, and again after an hour', async () => {
    world.reference(REFERENCES, { at: '2026-03-05T10:00:00Z' })
    world.quote(
      price({}, { at: '2026-03-05T13:00:00Z', fee: 2 }),
      price({}, { at: '2026-03-05T14:10:00Z', fee: 1 }),
    )
    const free = world.key('free')
    const average = async () => {
      const { body } = await world.get(`/costs?${ROUTE}&amount=100`, free)
      return [body.average_pct, body.data_freshness, body.as_of]
    }
    for (let asked = 0; asked < 3; asked++)
      expect(await average()).toEqual([2, 'hourly', '2026-03-05T14:00:00.000Z'])
    world.clock.set('2026-03-05T15:00:00.001Z')
    expect(await average()).toEqual([1, 'hourly', '2026-03-05T15:00:00.000Z'])
  })

  test('is recalculated once a price arrives or expires, however often it was requested', async () => {
    const count = async () => (await costs(`${ROUTE}&amount=100`)).count
    for (let asked = 0; asked < 3; asked++) expect(await count()).toBe(0)
    world.quote(price({ validUntilMs: world.clock.now() + 60_000 }))
    for (let asked = 0; asked < 3; asked++) expect(await count()).toBe(1)
    world.quote(price({}, { providerId: 'retail-b' }))
    for (let asked = 0; asked < 3; asked++) expect(await count()).toBe(2)
    world.clock.advance(60_001)
    expect(await count()).toBe(1)
  })

  test.each([
    ['target_country=KE&amount=5', 'missing_parameter', 'source_country'],
    ['source_country=GB&amount=5', 'missing_parameter', 'target_country'],
    ['source_country=UK&target_country=KE&amount=5', 'invalid_parameter', 'source_country'],
    ['source_country=GB&target_country=XX&amount=5', 'invalid_parameter', 'target_country'],
    [`${ROUTE}`, 'missing_parameter', 'amount'],
    [`${ROUTE}&amount=0`, 'invalid_parameter', 'amount'],
    [`${ROUTE}&amount_usd=-1`, 'invalid_parameter', 'amount_usd'],
    [`${ROUTE}&amount=5&amount_usd=5`, 'invalid_parameter', 'amount_usd'],
    [`${ROUTE}&amount=5&from=XXX`, 'unsupported_currency', 'from'],
    [`${ROUTE}&amount=5&to=SLL`, 'unsupported_currency', 'to'],
    [`${ROUTE}&amount=5&date=2026-03-01`, 'invalid_parameter', 'date'],
  ])('returns 400 for %s, which names the parameter', async (query, code, parameter) => {
    expect(await costs(query)).toMatchObject({ status: 400, code, parameter })
  })
})
