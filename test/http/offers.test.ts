import { beforeEach, describe, expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import type { Offer } from '~/domain/offer/terms.ts'
import { offer } from '../support/offers.ts'
import { World } from '../support/world.ts'

const OLD = '2026-02-02T00:00:00.000Z'

let world: World
let key: string

beforeEach(() => {
  world = new World()
  world.reference({ KES: 130, GBP: 0.8, XOF: 600 }, { at: '2026-02-01T00:00:00Z' })
  world.reference({ KES: 130, GBP: 0.8, XOF: 600 })
  key = world.key()
})

type Price = Parameters<World['quote']>[0]

const price = (said: Partial<Offer> | null, more: Partial<Price> = {}): Price => ({
  ...{ providerId: 'retail-a', rate: 130, fee: 1, feeCurrency: 'USD' },
  ...more,
  offer: said && offer(said),
})

type Entry = {
  provider_id: string
  rate: number
  net_converted: number
  unspecified?: string[]
  amount_match?: string
  at_amount?: number
  offer?: Record<string, unknown>
}

const asked = async (path: string) => {
  const { status, body } = await world.get(path, key)
  return { status, ...body }
}

const RATES = '/rates?from=USD&to=KES'
const CONVERT = '/convert?from=USD&to=KES&amount=100'

const listed = async (path: string): Promise<Entry[]> => {
  const { status, providers, count } = await asked(path)
  expect([status, count]).toEqual([200, providers.length])
  return providers
}

const shown = async (path: string) =>
  (await listed(path)).map(({ provider_id, rate, unspecified }) => [
    ...[provider_id, rate],
    ...(unspecified ?? []),
  ])

describe.each([RATES, CONVERT])('GET %s', (path) => {
  test('returns 200 with one offer of each provider, and with all of them', async () => {
    world.quote(
      price({ payOut: ['cash'] }, { rate: 128 }),
      price({ payOut: ['mobile_money'] }, { rate: 129 }),
      price(null, { rate: 127 }),
      price(null, { rate: 131, providerId: 'retail-b' }),
    )
    expect(await shown(path)).toEqual([
      ['retail-b', 131],
      ['retail-a', 129],
    ])
    expect(await shown(`${path}&offers=all`)).toEqual([
      ['retail-b', 131],
      ['retail-a', 129],
      ['retail-a', 128],
      ['retail-a', 127],
    ])
  })

  test('leaves out offers that contradict the filters, and puts unspecified ones last', async () => {
    world.quote(
      price({ targetCountry: 'KE', payOut: ['cash', 'mobile_money'] }, { rate: 128 }),
      price({ targetCountry: 'UG' }, { providerId: 'retail-b', rate: 133 }),
      price({ targetCountry: 'KE' }, { providerId: 'p2p-a', rate: 132 }),
      price(null, { providerId: 'p2p-b', rate: 131 }),
    )
    expect(await shown(`${path}&target_country=ke&pay_out=mobile_money`)).toEqual([
      ['retail-a', 128],
      ['p2p-a', 132, 'pay_out'],
      ['p2p-b', 131, 'target_country', 'pay_out'],
    ])
    expect(await shown(`${path}&target_country=UG`)).toEqual([
      ['retail-b', 133],
      ['p2p-b', 131, 'target_country'],
    ])
  })

  test('filters by the delivery time of an offer, or of its provider', async () => {
    world.quote(
      price({ deliveryMaxMs: 2 * HOUR_MS }),
      price({ deliveryMinMs: DAY_MS }, { providerId: 'retail-b' }),
      price({ deliveryMinMs: 0 }, { providerId: 'p2p-a' }),
    )
    expect(await shown(`${path}&delivery_max=2h`)).toEqual([
      ['retail-a', 130],
      ['p2p-a', 130],
    ])
    expect(await shown(`${path}&delivery_max=59m`)).toEqual([])
  })

  test('returns an empty list and a note with the filter that no offer fits', async () => {
    world.quote(price({ payOut: ['cash'], channel: 'agent' }))
    const { status, count, note } = await asked(`${path}&pay_out=mobile_money&channel=agent`)
    expect([status, count, note]).toEqual([
      ...[200, 0],
      'No price of USD/KES fits the requested pay_out and channel.',
    ])
    const { note: other } = await asked(`${path}&pay_out=mobile_money&max_age=1m`)
    expect(other).toBe('No price of USD/KES fits the requested pay_out.')
    world.clock.advance(60_001)
    expect((await asked(`${path}&pay_out=mobile_money&max_age=1m`)).note).toBe(
      'Every price of USD/KES is older than max_age; the newest was seen on 2026-03-05.',
    )
  })

  test('returns 200 between one currency and itself if two countries are requested', async () => {
    const same = path.replace('KES', 'USD')
    expect(await asked(same)).toMatchObject({ status: 400, code: 'same_currency' })
    expect(await asked(`${same}&source_country=US`)).toMatchObject({ status: 400 })
    expect(await asked(`${same}&source_country=US&target_country=us`)).toMatchObject({
      ...{ status: 400, code: 'same_currency' },
    })
    const abroad = `${same}&source_country=US&target_country=LR`
    expect(await asked(abroad)).toMatchObject({
      ...{ status: 200, count: 0, note: 'No provider quotes USD/USD at present.' },
    })
    world.quote(price({ sourceCountry: 'US', targetCountry: 'LR' }, { to: 'USD', rate: 0.99 }))
    const { status, providers, mid_rate, mid } = await asked(abroad)
    expect([status, mid_rate ?? mid.rate, providers[0].vs_mid_bps]).toEqual([200, 1, -100])
    expect(providers[0].margin_pct).toBe(1)
  })

  test('returns the prices of the top of the hour for an hourly key', async () => {
    world.quote(
      price({ payOut: ['cash'] }, { at: '2026-03-05T14:00:00Z' }),
      price({ payOut: ['mobile_money'] }, { at: '2026-03-05T14:00:00.001Z' }),
    )
    const { body } = await world.get(`${path}&offers=all`, world.key('free'))
    expect([body.count, body.providers[0].offer.pay_out]).toEqual([1, ['cash']])
  })

  test('leaves out an offer past its end, and returns the previous one that is still valid', async () => {
    const validUntilMs = world.clock.now() + HOUR_MS
    world.quote(price(null, { rate: 128 }), price({ validUntilMs }, { rate: 129 }))
    for (let times = 0; times < 3; times++) expect(await shown(path)).toEqual([['retail-a', 129]])
    world.clock.advance(HOUR_MS)
    expect(await shown(path)).toEqual([['retail-a', 129]])
    world.clock.advance(1)
    expect(await shown(path)).toEqual([['retail-a', 128]])
  })
})

describe('an entry', () => {
  test('of a price without an offer has the fields that it had before there were offers', async () => {
    world.quote(price(null))
    for (const path of [RATES, CONVERT])
      for (const name of ['offer', 'amount_match', 'at_amount', 'unspecified'])
        expect((await listed(path))[0]).not.toHaveProperty(name)
  })

  test('of an offer with a percentage alone has a stated fee', async () => {
    world.quote(price({ feePercent: 2 }, { fee: null, feeCurrency: null }))
    const paths = [RATES, CONVERT, '/rates/provider?provider=retail-a']
    for (const path of paths) {
      const { providers, corridors } = await asked(path)
      expect([path, (providers ?? corridors)[0].fee_stated]).toEqual([path, true])
    }
    const { best_current } = await asked(CONVERT)
    expect([best_current.net_converted, best_current.cost.total_pct]).toEqual([98 * 130, 2])
  })

  test('of a fresh offer comes before a better stale one', async () => {
    world.quote(
      price({ payOut: ['cash'] }, { rate: 131, at: OLD }),
      price({ payOut: ['mobile_money'] }, { rate: 120 }),
    )
    for (const path of [RATES, CONVERT]) expect(await shown(path)).toEqual([['retail-a', 120]])
  })

  test('of /convert is the best of the offers for the amount, else the nearest', async () => {
    world.quote(
      price({ amountMin: 1, amountMax: 50 }, { fee: 1 }),
      price({ amountMin: 50, amountMax: 200 }, { fee: 4 }),
      price({ amountMin: 50, amountMax: 200, payOut: ['cash'] }, { fee: 3 }),
    )
    const entry = async (amount: number) => {
      const [first] = await listed(`/convert?from=USD&to=KES&amount=${amount}`)
      const { net_converted, amount_match, at_amount } = first!
      return [net_converted, amount_match, at_amount]
    }
    expect(await entry(40)).toEqual([39 * 130, 'exact', undefined])
    expect(await entry(100)).toEqual([97 * 130, 'exact', undefined])
    expect(await entry(400)).toEqual([397 * 130, 'nearest', 200])
    const { best } = await asked('/convert?from=USD&to=KES&amount=400')
    const cost = { fee_pct: 1.5, margin_pct: 0, total_pct: 1.5, currency: 'USD' }
    expect(best.cost).toEqual(cost)
    const [far] = await listed('/convert?from=USD&to=KES&amount=401')
    const outOfRange = { net_converted: null, cost: null, amount_match: 'out_of_range' }
    expect(far).toMatchObject({ ...outOfRange, at_amount: 200, converted: 401 * 130 })
  })

  test('of /convert has the amount to send under its own fee for an amount to arrive', async () => {
    world.quote(price({ feePercent: 2 }, { fee: 2 }))
    const path = '/convert?from=USD&to=KES&recipient_gets=12480'
    const { amount, best } = await asked(path)
    expect([amount, best.send_amount, best.net_converted]).toEqual([100, 100, 12_480])
    expect([best.amount_match, best.fee_stated, best.cost.fee_pct]).toEqual(['exact', true, 4])
  })
})

describe('GET /rates/provider', () => {
  const path = '/rates/provider?provider=retail-a'

  test('returns 200 with one offer of each corridor, or all, or those that fit', async () => {
    world.quote(
      price({ payOut: ['cash'] }, { rate: 128 }),
      price({ payOut: ['mobile_money'] }, { rate: 129 }),
      price(null, { to: 'XOF', rate: 600 }),
    )
    const rows = async (query: string) =>
      (await asked(`${path}${query}`)).corridors.map((one: Entry & { to: string }) => [
        ...[one.to, one.rate],
        ...(one.unspecified ?? []),
      ])
    expect(await rows('')).toEqual([
      ['KES', 129],
      ['XOF', 600],
    ])
    expect(await rows('&offers=all')).toEqual([
      ['KES', 129],
      ['KES', 128],
      ['XOF', 600],
    ])
    expect(await rows('&pay_out=cash')).toEqual([
      ['KES', 128],
      ['XOF', 600, 'pay_out'],
    ])
  })

  test('returns 200 with a note with the filter that no offer fits', async () => {
    world.quote(price({ payOut: ['cash'] }))
    expect((await asked(`${path}&pay_out=mobile_money`)).note).toBe(
      'No price of Provider retail-a fits the requested pay_out.',
    )
  })
})

describe('GET /corridors', () => {
  test('returns 200 with corridors by the prices that fit or are unspecified', async () => {
    world.quote(
      price({ payOut: ['cash'] }, { rate: 128 }),
      price({ payOut: ['mobile_money'] }, { rate: 129, providerId: 'retail-b' }),
      price({ payOut: ['mobile_money'] }, { to: 'XOF', rate: 600 }),
    )
    const rows = async (query: string) =>
      (await asked(`/corridors?${query}`)).corridors.map(
        (one: { to: string; best_rate: number; provider_count: number }) => [
          ...[one.to, one.best_rate, one.provider_count],
        ],
      )
    expect(await rows('')).toEqual([
      ['KES', 129, 2],
      ['XOF', 600, 1],
    ])
    expect(await rows('pay_out=cash')).toEqual([['KES', 128, 1]])
  })
})
