import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stockedDatabase } from '../store/samples.ts'
import { plainOfferId } from '../support/offers.ts'
import { PastWorld } from '../support/past-world.ts'
import type { FreshDatabase } from '../support/postgres.ts'

const PAIR = 'from=GBP&to=NGN'
const CASH = { source_country: 'GB', target_country: 'NG', pay_out: ['cash'] }
const WALLET = { ...CASH, pay_out: ['mobile_money'], delivery_max: 'PT1H' }

let database: FreshDatabase
let world: PastWorld

const row = (provider_id: string, rate: number, at: string, offer: object = {}) => ({
  ...{ provider_id, from: 'GBP', to: 'NGN', rate },
  effective_from: `2026-03-0${at}:00:00Z`,
  ...offer,
})

beforeAll(async () => {
  database = await stockedDatabase()
  world = await new PastWorld(database, { at: '2026-03-05T14:25:30.500Z' }).start()
  const { status } = await world.post([
    row('retail-a', 1000, '1T10', CASH),
    row('retail-a', 990, '1T11', WALLET),
    row('retail-b', 995, '1T12'),
    row('retail-a', 1010, '2T10', { ...CASH, valid_until: '2026-03-02T12:00:00Z' }),
    row('retail-a', 980, '3T10', { ...CASH, source_country: 'IE' }),
    row('retail-b', 985, '3T11', { ...WALLET, delivery_max: 'P3D', fee_percent: 1.5 }),
  ])
  expect(status).toBe(201)
})

afterAll(() => database.close())

type Entry = Record<string, unknown> & { offer?: Record<string, unknown> }

async function past(path: string, tier: 'realtime' | 'hourly' = 'realtime') {
  const { status, body, text, headers } = await world.get(path, tier)
  expect([path, status]).toEqual([path, 200])
  const entries: Entry[] = body.data ?? body.providers
  return { body, text, headers, entries, rates: entries.map(({ rate }) => rate) }
}

const history = (more = '') => past(`/rates/history?${PAIR}&period=7d${more}`)
const historical = (date: string, more = '') => past(`/historical?${PAIR}&date=${date}${more}`)

describe('GET /rates/history', () => {
  test('has the offer of each observation, as the last field', async () => {
    const { entries, rates } = await history()
    expect(rates).toEqual([1000, 990, 995, 1010, 980, 985])
    expect(entries[0]!.offer).toEqual({ id: expect.stringMatching(/^[0-9a-f]{12}$/), ...CASH })
    expect(Object.keys(entries[0]!).at(-1)).toBe('offer')
    expect(entries[2]).not.toHaveProperty('offer')
    expect(entries[3]!.offer).toEqual({
      ...entries[0]!.offer,
      valid_until: '2026-03-02T12:00:00.000Z',
    })
    expect(entries[5]!.offer).toMatchObject({ fee_percent: 1.5, delivery_max: 'P3D' })
  })

  test('compares each with the offers that were valid then', async () => {
    const { entries } = await history()
    const spreads = entries.map(({ spread_bps }) => Math.round(spread_bps as number))
    expect(spreads).toEqual([0, 100, 50, 0, 200, 150])
  })

  test('compares with an older price again, once a newer one has expired', async () => {
    const at = (rate: number, hour: string, provider: string, until?: string) => ({
      ...row(provider, rate, hour, until ? { valid_until: `2026-03-0${until}:00:00Z` } : {}),
      to: 'KES',
    })
    await world.post([
      at(1000, '1T10', 'retail-a', '4T00'),
      at(1100, '1T11', 'retail-a', '1T13'),
      at(900, '1T12', 'retail-b'),
      at(950, '1T14', 'retail-b'),
    ])
    const asked = '/rates/history?from=GBP&to=KES&period=7d&limit=2&offset=2'
    const { entries } = await past(asked)
    expect(entries.map(({ spread_bps }) => spread_bps)).toEqual([1818.1818, 500])
  })

  test('compares with no offer that fitted once and has another delivery now', async () => {
    const at = (rate: number, hour: string, provider: string, delivery_max: string) => ({
      ...row(provider, rate, hour, { delivery_max }),
      to: 'UGX',
    })
    await world.post([
      at(1000, '1T10', 'retail-a', 'PT1H'),
      at(1000, '1T11', 'retail-a', 'P3D'),
      at(900, '1T12', 'retail-b', 'PT1H'),
    ])
    const asked = '/rates/history?from=GBP&to=UGX&period=7d&delivery_max=2h'
    const { entries } = await past(asked)
    expect(entries.map(({ rate, spread_bps }) => [rate, spread_bps])).toEqual([
      [1000, 0],
      [900, 0],
    ])
  })

  test('leaves out offers that contradict the filters, and marks unspecified ones', async () => {
    const british = await history('&source_country=gb')
    expect(british.rates).toEqual([1000, 990, 995, 1010, 985])
    expect(british.entries.map(({ unspecified }) => unspecified)).toEqual([
      undefined,
      undefined,
      ['source_country'],
      undefined,
      undefined,
    ])
    const fast = await history('&pay_out=mobile_money,bank_account&delivery_max=2h')
    expect(fast.rates).toEqual([990, 995])
    expect(fast.entries[1]!.unspecified).toEqual(['pay_out', 'delivery_max'])
    const spreads = fast.entries.map(({ spread_bps }) => spread_bps)
    expect(spreads).toEqual([0, 0])
  })

  test('pages through all that fits, to the end', async () => {
    const first = await history('&source_country=GB&limit=2')
    expect([first.rates, first.body.has_more]).toEqual([[1000, 990], true])
    const [, next] = /^<(.*)>/.exec(first.headers.get('link')!)!
    expect((await past(`/rates/history${next}`)).rates).toEqual([995, 1010])
    const last = await history('&source_country=GB&limit=2&offset=4')
    expect([last.rates, last.body.has_more]).toEqual([[985], false])
    const own = await history('&source_country=GB&provider=retail-a&order=desc')
    expect(own.rates).toEqual([1010, 990, 1000])
  })

  test('has the offers in columns of their own in CSV, the same if there is none', async () => {
    const csv = { headers: { accept: 'text/csv' } }
    const asked = `/rates/history?${PAIR}&period=7d&provider=retail-b`
    const { text } = await world.get(asked, 'realtime', csv)
    const [header, plain, offered] = text.split('\r\n')
    expect(header).toContain(
      ',rate_type,rate_date,suspect,evidence,notes,recorded_at,recorded_via,' +
        'recorded_by_account_id,recorded_by_account_email,recorded_by_key_id,superseded,' +
        'withdrawn_at,withdrawn_reason,offer_id,offer_source_country,offer_target_country,offer_pay_in,' +
        'offer_pay_out,offer_channel,offer_amount_min,offer_amount_max,offer_service,' +
        'offer_fee_percent,offer_delivery_min,offer_delivery_max,offer_valid_until,unspecified,',
    )
    expect(plain).toContain(',retail,,,observed,,')
    expect(plain).toContain(`,api,,,,,,,${plainOfferId('retail-b', 'GBP/NGN')},,,,,,,,,,,,,,`)
    expect(offered).toMatch(/,[0-9a-f]{12},GB,NG,,mobile_money,,,,,1\.5,,P3D,,,/)
    const short = await world.get(`${asked}&limit=1`, 'realtime', csv)
    expect(short.text.split('\r\n')[0]).toBe(header!)
  })

  test('returns 400 with the name for an invalid word, country and duration', async () => {
    for (const [more, named] of [
      ['pay_out=cheque', 'cash, bank_account'],
      ['source_country=UK', 'United Kingdom is GB'],
      ['delivery_max=P1Y', 'delivery_max'],
    ] as const) {
      const { status, body } = await world.get(`/rates/history?${PAIR}&${more}`)
      expect(status).toBe(400)
      expect(body.error).toContain(named)
      expect(body.error).toContain(more.split('=')[0]!)
    }
  })
})

describe('GET /historical', () => {
  test('notes that no price fits a country if only an official rate names none', async () => {
    const rows = [row('retail-a', 30, '1T10', CASH), row('official-a', 31, '1T10')]
    await world.post(rows.map((one) => ({ ...one, from: 'EUR', to: 'ZAR' })))
    const asked = '/historical?from=EUR&to=ZAR&date=2026-03-04'
    const other = await past(`${asked}&source_country=IE`)
    expect(other.rates).toEqual([31])
    expect(other.body.note).toBe(
      'No price of EUR/ZAR on 2026-03-04 fits the requested source_country.',
    )
    for (const known of [await past(`${asked}&source_country=GB`), await past(asked)]) {
      expect(known.rates).toEqual([30, 31])
      expect(known.body).not.toHaveProperty('note')
    }
  })

  test('has one offer of each provider, the one with the best rate that was valid', async () => {
    expect((await historical('2026-03-01')).rates).toEqual([1000, 995])
    expect((await historical('2026-03-02')).rates).toEqual([1000, 995])
    expect((await historical('2026-03-04')).rates).toEqual([1000, 995])
  })

  test('has every offer with offers=all, expiring ones while they are valid', async () => {
    expect((await historical('2026-03-04', '&offers=all')).rates).toEqual([
      ...[1000, 995, 990, 985, 980],
    ])
  })

  test('drops a price of today when it expires, also from a cached response', async () => {
    const until = { valid_until: '2026-03-05T15:00:00Z' }
    await world.post([{ ...row('retail-a', 7, '5T10', until), to: 'ZAR' }])
    const today = () => past('/historical?from=GBP&to=ZAR&date=2026-03-05')
    expect((await today()).rates).toEqual([7])
    world.clock.set('2026-03-05T15:00:00.001Z')
    expect((await today()).rates).toEqual([])
    world.clock.set('2026-03-05T14:25:30.500Z')
  })

  test('ranks unspecified ones last with filters and compares with what is shown', async () => {
    const { entries, rates } = await historical('2026-03-04', '&pay_out=mobile_money')
    expect(rates).toEqual([990, 985])
    expect(entries.map(({ spread_bps }) => Math.round(spread_bps as number))).toEqual([0, 51])
    const all = await historical('2026-03-04', '&pay_out=mobile_money&offers=all')
    expect(all.rates).toEqual([990, 985, 995])
    expect(all.entries[2]!.unspecified).toEqual(['pay_out'])
  })

  test('returns an empty list for a filter that no offer fits, with a note', async () => {
    const silent = await historical('2026-03-01', '&target_country=GH&channel=agent')
    expect(silent.rates).toEqual([995])
    const late = { ...row('retail-a', 5, '1T10', { delivery_max: 'P3D' }), to: 'XOF' }
    await world.post([late])
    const asked = '/historical?from=GBP&to=XOF&date=2026-03-01&delivery_max=1d'
    const { rates, body } = await past(asked)
    expect([rates, body.note]).toEqual([
      [],
      'No price of GBP/XOF on 2026-03-01 fits the requested delivery_max.',
    ])
  })
})

describe('GET /change', () => {
  test('counts at each end the offers that were valid then', async () => {
    const dayLater = new PastWorld(database, { at: '2026-03-03T11:00:00Z' })
    const { body } = await (await dayLater.start()).get(`/change?${PAIR}&period=1d`)
    expect([body.start.best, body.end.best]).toEqual([1010, 1000])
  })
})
