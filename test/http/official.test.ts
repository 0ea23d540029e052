import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freshnessAt } from '~/domain/freshness.ts'
import { getOfficial } from '~/mcp/official.ts'
import { View } from '~/memory/view.ts'
import { createCatalogueStore } from '~/store/catalogue-store.ts'
import { createReferenceStore } from '~/store/reference-store.ts'
import { CURRENCIES, PROVIDERS, provider } from '../support/catalogue.ts'
import { pastOf } from '../support/past.ts'
import { PastWorld, type Tier } from '../support/past-world.ts'
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts'
import { TEST_MS_MAX } from '../support/until.ts'

const NOW = '2026-03-05T21:25:30.500Z'
const bank = (id: string, timeZone: string | null) =>
  provider(id, { rateType: 'official', providerType: 'central_bank', timeZone })

const NO_LIMITS = {
  midMaxAgeMs: 72 * 3_600_000,
  quoteMaxAgeMs: null,
  staleAfterMs: null,
  quoteSuspectPct: null,
}

let database: FreshDatabase
let world: PastWorld

beforeAll(async () => {
  database = await freshDatabase()
  const banks = [bank('bank-nairobi', 'Africa/Nairobi'), bank('bank-kampala', 'Africa/Kampala')]
  const providers = [...PROVIDERS, ...banks, bank('bank-nowhere', null)]
  await createCatalogueStore(database).apply({ currencies: CURRENCIES, providers })
  world = await new PastWorld(database, { at: NOW }).start()
  for (const [at, kes] of [
    ['2026-03-03T05:00:00Z', '130'],
    ['2026-03-04T05:00:00Z', '125'],
  ] as const) {
    const rates = [
      { currency: 'KES', perUsd: kes },
      { currency: 'UGX', perUsd: '3750' },
    ]
    const snapshot = { source: 'feed', fetchedMs: Date.parse(at), rates }
    const references = await createReferenceStore(database).append(snapshot)
    world.memory.publish({ references }, world.clock.now())
  }
  const said = [
    ['bank-nairobi', 'USD', 'KES', 129, '2026-03-02T21:00:00Z'],
    ['bank-nairobi', 'USD', 'KES', 128, '2026-03-03T21:00:00Z'],
    ['bank-nairobi', 'USD', 'KES', 127, '2026-03-05T21:00:00Z'],
    ['bank-nairobi', 'GBP', 'KES', 170, '2026-03-03T21:00:00Z'],
    ['bank-kampala', 'KES', 'UGX', 29, '2026-03-02T21:00:00Z'],
    ['bank-nowhere', 'USD', 'UGX', 3700, '2026-03-03T13:00:00Z'],
    ['retail-a', 'USD', 'KES', 126, '2026-03-03T21:00:00Z'],
  ] as const
  await world.post(
    said.map(([provider_id, from, to, rate, effective_from]) => ({
      ...{ provider_id, from, to, rate, effective_from },
    })),
  )
}, TEST_MS_MAX)
afterAll(() => database.close())

type Rate = Record<string, unknown> & { mid: Record<string, unknown> | null }

async function official(asked: string, tier: Tier = 'realtime') {
  const { status, body } = await world.get(`/official?${asked}`, tier)
  return { status, body: body as Record<string, unknown> & { rates: Rate[] } }
}

const shown = ({ rates }: { rates: Rate[] }) =>
  rates.map((one) => [
    one.provider_id,
    `${one.from}/${one.to}`,
    one.rate,
    one.rate_date,
    one.age_days,
  ])

describe('GET /official', () => {
  test("returns 200 with the rate of the date at the bank, with the mid at the day's end and the gap", async () => {
    const { status, body } = await official('currency=kes&to=usd&date=2026-03-04')
    expect(status).toBe(200)
    expect(body).toEqual({
      currency: 'KES',
      to: 'USD',
      date: '2026-03-04',
      rates: [
        {
          provider_id: 'bank-nairobi',
          provider_name: 'Provider bank-nairobi',
          from: 'USD',
          to: 'KES',
          rate: 128,
          rate_date: '2026-03-04',
          age_days: 0,
          last_updated: '2026-03-03T21:00:00.000Z',
          recorded_at: NOW,
          evidence: 'observed',
          mid: {
            ...{ rate: 125, source: 'feed', fetched_at: '2026-03-04T05:00:00.000Z' },
            ...{ basis: 'single', age_hours: 16 },
          },
          gap_bps: 240,
        },
      ],
      count: 1,
      timestamp: NOW,
      data_freshness: 'realtime',
    })
  })

  test('returns the nearest earlier rate of a date without one, and says so', async () => {
    const { body } = await official('currency=KES&to=USD&date=2026-03-05')
    expect(shown(body)).toEqual([['bank-nairobi', 'USD/KES', 128, '2026-03-04', 1]])
    expect(body.note).toBe(
      'No rate of Provider bank-nairobi for 2026-03-05 is recorded; ' +
        'its nearest earlier one is of 2026-03-04.',
    )
  })

  test('returns 200 with every bank and corridor of the currency, on either side', async () => {
    const { body } = await official('currency=KES&date=2026-03-04')
    expect(shown(body)).toEqual([
      ['bank-kampala', 'KES/UGX', 29, '2026-03-03', 1],
      ['bank-nairobi', 'GBP/KES', 170, '2026-03-04', 0],
      ['bank-nairobi', 'USD/KES', 128, '2026-03-04', 0],
    ])
    expect(body.note).toBe(
      'For 1 of 3 rates none of 2026-03-04 is recorded; ' +
        'the nearest earlier one is given, see rate_date and age_days.',
    )
    const [, , { gap_bps: ofPound, mid }] = [null, null, body.rates[1]!]
    expect([ofPound, mid]).toEqual([null, null])
  })

  test('returns the requested banks, without the date for a bank whose time zone is unknown', async () => {
    const { body } = await official('currency=UGX&provider=bank-nowhere&date=2026-03-04')
    expect(shown(body)).toEqual([['bank-nowhere', 'USD/UGX', 3700, null, null]])
    const both = await official('currency=UGX&provider=bank-nowhere,bank-kampala&date=2026-03-04')
    expect(both.body.count).toBe(2)
  })

  test('returns a date that has begun at the bank and not yet in UTC, by the hour for free', async () => {
    const asked = 'currency=KES&to=USD&date=2026-03-06'
    expect(shown((await official(asked)).body)).toEqual([
      ['bank-nairobi', 'USD/KES', 127, '2026-03-06', 0],
    ])
    const { body } = await official(asked, 'hourly')
    expect([body.as_of, body.data_freshness]).toEqual(['2026-03-05T21:00:00.000Z', 'hourly'])
  })

  describe('of rates that expire', () => {
    const pair = { provider_id: 'bank-nairobi', from: 'GBP', to: 'UGX' }
    const retail = { provider_id: 'retail-a', from: 'GBP', to: 'UGX', rate: 4900 }
    const ratesOf = async (date: string) =>
      (await official(`currency=UGX&to=GBP&provider=bank-nairobi&date=${date}`)).body.rates.map(
        ({ rate }) => rate,
      )
    beforeAll(async () => {
      const of = (day: string) => ({
        effective_from: `2026-03-${day}T06:00:00Z`,
        valid_until: `2026-03-${day}T14:00:00Z`,
      })
      await world.post([
        { ...pair, rate: 5003, ...of('03') },
        { ...pair, rate: 5004, ...of('04') },
        { ...pair, rate: 5005, ...of('05') },
        { ...pair, provider_id: 'bank-nowhere', rate: 5000 },
        { ...retail, valid_until: '2026-03-05T23:00:00Z' },
      ])
    })

    test('returns that of the date, although it held at neither end of it and holds no more', async () => {
      expect(await ratesOf('2026-03-03')).toEqual([5003])
      expect(await ratesOf('2026-03-04')).toEqual([5004])
      expect(await ratesOf('2026-03-05')).toEqual([5005])
      expect(await ratesOf('2026-03-02')).toEqual([])
      expect(await ratesOf('2026-03-06')).toEqual([])
    })

    test('returns it without the other currency too, after a restart as well', async () => {
      const asked = 'currency=UGX&provider=bank-nairobi&date=2026-03-04'
      const restarted = await new PastWorld(database, { at: '2026-03-20T00:00:00Z' }).start()
      for (const one of [world, restarted]) {
        const { body } = await one.get(`/official?${asked}`, 'realtime')
        expect(shown(body as { rates: Rate[] })).toEqual([
          ['bank-nairobi', 'GBP/UGX', 5004, '2026-03-04', 0],
        ])
      }
    })

    test('leaves the prices of /historical as they are on that day', async () => {
      await official('currency=UGX&to=GBP&date=2026-03-05')
      const { body } = await world.get('/historical?from=GBP&to=UGX&date=2026-03-05')
      const ids = body.providers.map((one: { provider_id: string }) => one.provider_id)
      expect(ids).toEqual(['retail-a', 'bank-nowhere'])
    })
  })

  test('notes that there is no rate so early', async () => {
    const { body } = await official('currency=KES&date=2020-01-01')
    expect([body.count, body.note]).toEqual([
      0,
      'No official rate of KES for 2020-01-01 is recorded, nor an earlier one still valid.',
    ])
  })

  test.each([
    ['currency=ABC&date=2026-03-04', 'unsupported_currency', /^currency: "ABC" is not/],
    ['currency=KES&to=SLL&date=2026-03-04', 'unsupported_currency', /^to: "SLL" is not/],
    ['currency=KES&date=2026-02-30', 'invalid_parameter', /^date cannot be used: it must be/],
    ['currency=KES&date=2026-03-07', 'invalid_parameter', /is in the future/],
    ['currency=KES&date=2026-03-04&provider=nobody', 'invalid_parameter', /^provider/],
    ['currency=KES', 'missing_parameter', /date/],
    ['currency=KES&to=kes&date=2026-03-04', 'invalid_parameter', /^to cannot be used: it is KES/],
    [
      'currency=KES&date=2026-03-04&known_at=2026-03-04T12:00:00Z',
      'invalid_parameter',
      /this shows what is known now; .* take known_at$/,
    ],
  ])('returns 400 for %s', async (asked, code, error) => {
    const { status, body } = await official(asked)
    expect([status, body.code]).toEqual([400, code])
    expect(body.error).toMatch(error)
  })
})

describe('get_official', () => {
  const ask = async (given: object) => {
    const view = new View(
      world.memory.current,
      freshnessAt('realtime', world.clock.now(), false),
      NO_LIMITS,
    )
    const by = { caller: undefined as never, home: '' }
    return (await getOfficial(pastOf(database, world.windows)).answer({
      given,
      view,
      by,
    })) as Record<string, unknown> & { rates: Rate[] }
  }

  test('has the dates, the gaps and the note of REST, for names and on each page', async () => {
    const asked = { currency: 'Kenyan shilling', date: '2026-03-04' }
    const { body } = await official('currency=KES&date=2026-03-04')
    const { links, ...whole } = await ask({ ...asked, detail: 'full' })
    expect(whole).toEqual(body)
    expect(links).toHaveProperty('csv')
    const short = await ask(asked)
    const dated = ({ rates }: { rates: Rate[] }) =>
      rates.map((one) => [one.provider_name, one.rate, one.rate_date, one.age_days, one.gap_bps])
    expect(dated(short)).toEqual(dated(body))
    expect(short.note).toBe(body.note)
    const second = await ask({ ...asked, limit: 1, offset: 1 })
    expect(dated(second)).toEqual(dated(body).slice(1, 2))
    expect(second.note).toContain('This holds rates 2 to 2 of 3')
  })

  test('accepts the name of a bank, and refuses a date that does not exist or is in the future', async () => {
    const asked = { currency: 'UGX', date: '2026-03-04' }
    const { rates } = await ask({ ...asked, providers: ['Provider bank-kampala'] })
    expect(rates.map((one) => one.provider_name)).toEqual(['Provider bank-kampala'])
    for (const date of ['2026-02-30', '2026-03-07', 'yesterday'])
      expect(ask({ ...asked, date })).rejects.toThrow(/^date cannot be used/)
  })
})

test("a day that has not ended at a bank leaves /historical the day's offers", async () => {
  const offer = { provider_id: 'retail-a', from: 'USD', to: 'UGX', rate: 3690 }
  await world.post([{ ...offer, valid_until: '2026-03-05T22:00:00Z' }])
  const { status } = await official('currency=UGX&date=2026-03-05')
  const { body } = await world.get('/historical?from=USD&to=UGX&date=2026-03-05')
  expect([status, body.count]).toEqual([200, 2])
})
