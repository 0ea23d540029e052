import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '~/domain/duration.ts'
import { CHANNELS, type Offer, PAY_WAYS, PLAIN } from '~/domain/offer/terms.ts'
import { CatalogueIndex } from '~/memory/catalogue-index.ts'
import { readObservationRow } from '~/wire/row/observation.ts'
import { RateRow } from '~/wire/row/schema.ts'
import { WrittenNumber } from '~/wire/row/values.ts'
import { CURRENCIES, PROVIDERS } from '../../support/catalogue.ts'
import { SchemaCheck } from '../../support/json-schema.ts'

const NOW_MS = Date.parse('2026-03-05T14:25:30.500Z')
const RULES = {
  catalogue: new CatalogueIndex({ currencies: CURRENCIES, providers: PROVIDERS }),
  nowMs: NOW_MS,
  defaultEffectiveMs: NOW_MS,
}
const ROW = { provider_id: 'retail-a', from: 'GBP', to: 'KES', rate: 172.4 }

type Row = Record<string, unknown>

const readingOf = (more: Row) => readObservationRow({ ...ROW, ...more }, RULES)
const faultsOf = (more: Row): readonly string[] => readingOf(more).faults ?? []

function observationOf(more: Row) {
  const { observation, faults } = readingOf(more)
  expect(faults).toBeNull()
  return observation!
}

const offerOf = (more: Row): Offer | null => observationOf(more).offer

describe('the offer of a row', () => {
  test('is read field by field', () => {
    const said = {
      source_country: 'GB',
      target_country: 'KE',
      pay_in: ['bank_account', 'debit_card'],
      pay_out: ['mobile_money'],
      channel: 'internet',
      amount_min: 0,
      amount_max: 250.5,
      service: 'Express',
      fee_percent: 0.5,
      delivery_min: 'PT0S',
      delivery_max: 'P1DT12H',
      valid_until: '2026-03-06T17:25:30.500+03:00',
    }
    expect(offerOf(said)).toEqual({
      sourceCountry: 'GB',
      targetCountry: 'KE',
      payIn: ['bank_account', 'debit_card'],
      payOut: ['mobile_money'],
      channel: 'internet',
      amountMin: 0,
      amountMax: 250.5,
      service: 'Express',
      feePercent: 0.5,
      deliveryMinMs: 0,
      deliveryMaxMs: 36 * HOUR_MS,
      validUntilMs: NOW_MS + DAY_MS,
    })
  })

  test('is null if every field is absent or null', () => {
    expect(offerOf({})).toBeNull()
    expect(offerOf({ source_country: null, pay_in: null, valid_until: null })).toBeNull()
  })

  test('leaves absent fields open', () => {
    expect(offerOf({ target_country: 'KE' })).toEqual({ ...PLAIN, targetCountry: 'KE' })
    expect(offerOf({ delivery_max: 'P2D' })).toEqual({ ...PLAIN, deliveryMaxMs: 2 * DAY_MS })
  })

  test('has every error reported at once, after those of the plain fields', () => {
    const faults = faultsOf({
      rate: -1,
      source_country: 'UK',
      target_country: 'XX',
      pay_in: ['cheque'],
      pay_out: [],
      channel: 'fax',
      amount_min: 101,
      amount_max: 100,
      service: '',
      fee_percent: 101,
      delivery_min: '-PT1H',
      delivery_max: 'P1Y',
      valid_until: 'tomorrow',
    })
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'rate',
      'source_country',
      'target_country',
      'pay_in',
      'pay_out',
      'channel',
      'delivery_min',
      'delivery_max',
      'valid_until',
      'amount_min',
      'fee_percent',
      'service',
    ])
  })
})

describe('the countries of a row', () => {
  test('are accepted in any case, with spaces around them', () => {
    expect(offerOf({ source_country: ' gb ', target_country: 'Ke' })).toMatchObject({
      sourceCountry: 'GB',
      targetCountry: 'KE',
    })
  })

  test('are errors if they are not codes, and United Kingdom means GB', () => {
    expect(faultsOf({ source_country: 'UK' })).toEqual([
      'source_country "UK" is not an ISO 3166-1 alpha-2 country code; United Kingdom is GB',
    ])
    for (const code of ['XX', 'GBR', 'G', '', 'United Kingdom', 'x'.repeat(10_000)]) {
      const faults = faultsOf({ target_country: code })
      expect(faults).toEqual([expect.stringMatching(/^target_country ".*such as GH$/)])
      expect(faults[0]!.length).toBeLessThan(150)
    }
    for (const value of [44, true, {}, ['GB'], new WrittenNumber('1')])
      expect(faultsOf({ target_country: value })).toEqual([
        'target_country must be a country code, such as GH',
      ])
  })

  test('allow both currencies to be one if they differ', () => {
    const same = { to: 'GBP', source_country: 'gb', target_country: 'IM' }
    expect(observationOf(same)).toMatchObject({ from: 'GBP', to: 'GBP' })
    const fault =
      'source and target currency are both GBP; a corridor needs two, ' +
      'unless source_country and target_country are given and differ'
    for (const countries of [
      {},
      { source_country: 'GB' },
      { target_country: 'IM' },
      { source_country: 'GB', target_country: 'gb' },
    ])
      expect(faultsOf({ to: 'GBP', ...countries })).toEqual([fault])
    const wrong = { source_country: 'UK', target_country: 'IM' }
    expect(faultsOf({ to: 'GBP', ...wrong })).toEqual([expect.stringContaining('"UK"')])
  })
})

describe('the ways of paying in a row', () => {
  test('are known words, in one order whatever the given one', () => {
    const said = { pay_in: [...PAY_WAYS].reverse(), pay_out: ['mobile_money', 'cash'] }
    expect(offerOf(said)).toMatchObject({ payIn: PAY_WAYS, payOut: ['cash', 'mobile_money'] })
    for (const channel of CHANNELS) expect(offerOf({ channel })).toMatchObject({ channel })
  })

  test('have an error that lists the words if they are unknown', () => {
    const words = PAY_WAYS.join(', ')
    expect(faultsOf({ pay_in: ['cash', 'cheque', 5, null] })).toEqual([
      `pay_in must be of ${words}; not "cheque", 5, null`,
    ])
    expect(faultsOf({ pay_out: ['Cash'] })).toEqual([`pay_out must be of ${words}; not "Cash"`])
    const many = faultsOf({ pay_out: Array.from({ length: 5000 }, (_, i) => `way ${i}`) })
    expect(many).toEqual([expect.stringMatching(/"way 4" and 4995 more$/)])
    expect(faultsOf({ channel: 'fax' })).toEqual([
      `channel must be one of ${CHANNELS.join(', ')}, not "fax"`,
    ])
    expect(faultsOf({ channel: ['agent'] })).toHaveLength(1)
  })

  test('form a list without duplicates', () => {
    const check = new SchemaCheck({})
    for (const field of ['pay_in', 'pay_out'] as const) {
      expect(faultsOf({ [field]: [] })).toEqual([`${field} must not be empty; omit it if unknown`])
      const twice = ['cash', 'mobile_money', 'mobile_money']
      expect(faultsOf({ [field]: twice })).toEqual([`${field} has "mobile_money" more than once`])
      const described = (list: string[]) => check.faults(RateRow.properties[field], list)
      expect(described(twice)).toHaveLength(1)
      expect(described(twice.slice(1, 2))).toEqual([])
      for (const value of ['cash', 5, true, {}])
        expect(faultsOf({ [field]: value })).toEqual([
          expect.stringContaining(`${field} must be a list, such as ["cash"], not `),
        ])
    }
  })
})

describe('the amounts of a row', () => {
  test('may be one amount, and have no more than 12 digits', () => {
    expect(offerOf({ amount_min: 120, amount_max: 120 })).toMatchObject({ amountMax: 120 })
    const longest = new WrittenNumber('123456789.012000000')
    expect(offerOf({ amount_max: longest })).toMatchObject({ amountMax: 123_456_789.012 })
    for (const field of ['amount_min', 'amount_max', 'fee_percent'])
      expect(faultsOf({ [field]: new WrittenNumber('1.0000000000001') })).toEqual([
        `${field} has more than 12 significant digits`,
      ])
  })

  test('are errors if they are not amounts, or out of order', () => {
    expect(faultsOf({ amount_min: 101, amount_max: 100 })).toEqual([
      'amount_min must not be above the greatest amount',
    ])
    for (const value of ['5', '', true, {}, [5], Number.NaN, Number.POSITIVE_INFINITY])
      for (const field of ['amount_min', 'amount_max', 'fee_percent'])
        expect(faultsOf({ [field]: value })).toEqual([
          expect.stringContaining(`${field} must be a finite JSON number`),
        ])
    expect(faultsOf({ amount_min: -1 })).toHaveLength(1)
    expect(faultsOf({ amount_max: 0 })).toHaveLength(1)
    expect(faultsOf({ amount_max: 1.01e15 })).toHaveLength(1)
  })
})

describe('the terms of a row', () => {
  test('accept a percentage from 0 to 100, in the source currency by default', () => {
    for (const fee_percent of [0, 0.5, 100])
      expect(observationOf({ fee_percent })).toMatchObject({
        fee: null,
        feeCurrency: 'GBP',
        offer: { feePercent: fee_percent },
      })
    expect(observationOf({ fee: 5, fee_currency: 'KES', fee_percent: 1 })).toMatchObject({
      feeCurrency: 'KES',
    })
    expect(Object.is(offerOf({ fee_percent: new WrittenNumber('-0') })?.feePercent, 0)).toBe(true)
    for (const fee_percent of [101, 100.01, -1, -0.01])
      expect(faultsOf({ fee_percent })).toEqual(['fee_percent must be between 0 and 100'])
  })

  test('accept ISO-8601 durations of delivery, the shortest no longer than the longest', () => {
    for (const text of ['P1Y', 'P1M', '-PT1H', 'PT', '', '1h', 'PT1.5H', 'P400D'])
      for (const field of ['delivery_min', 'delivery_max'])
        expect(faultsOf({ [field]: text })).toEqual([
          `${field} must be an ISO-8601 duration of at most 366 days, in days, hours, minutes and ` +
            `seconds, such as PT0S, PT1H or P2D; not "${text}"`,
        ])
    for (const delivery_max of [60, ['PT1H']]) expect(faultsOf({ delivery_max })).toHaveLength(1)
    expect(faultsOf({ delivery_min: 'P2D', delivery_max: 'PT47H' })).toEqual([
      'delivery_min must not be longer than the longest delivery',
    ])
    expect(offerOf({ delivery_min: 'P2D', delivery_max: 'PT48H' })).toMatchObject({
      deliveryMinMs: 2 * DAY_MS,
      deliveryMaxMs: 2 * DAY_MS,
    })
  })

  test('accept a service of 1 to 60 characters, without the spaces around it', () => {
    expect(offerOf({ service: ` ${'💱'.repeat(60)} ` })?.service).toBe('💱'.repeat(60))
    const rule = 'on one line, none of which is hidden or turns its direction'
    const hidden = ['a\nb', 'a\tb', 'a\u2028b', 'a\u202eb', 'a\u200bb']
    for (const service of ['', '  ', 'x'.repeat(61), ...hidden])
      expect(faultsOf({ service })).toEqual([`service must have 1 to 60 characters ${rule}`])
    for (const service of ['a\0b', '\ud800', 5, ['x']])
      expect(faultsOf({ service })).toEqual([expect.stringContaining('service must be ')])
  })

  test('accept an end that is after the start of validity', () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const until = (ms: number, more: Row = {}) => ({ valid_until: at(ms), ...more })
    expect(offerOf(until(NOW_MS + 1))).toMatchObject({ validUntilMs: NOW_MS + 1 })
    const past = { effective_from: at(NOW_MS - DAY_MS) }
    expect(offerOf(until(NOW_MS - HOUR_MS, past))?.validUntilMs).toBe(NOW_MS - HOUR_MS)
    for (const row of [until(NOW_MS), until(NOW_MS - 1), until(NOW_MS - DAY_MS, past)])
      expect(faultsOf(row)).toEqual([
        'valid_until must be after the time from which the price holds',
      ])
    for (const valid_until of ['2026-03-07', 'soon', '', 1772720730, {}])
      expect(faultsOf({ valid_until })).toEqual([
        'valid_until must be an ISO-8601 date-time with offset: 2026-03-05T14:00:00Z',
      ])
  })

  test('have an invalid start of validity as their only error', () => {
    const row = { effective_from: 'yesterday', valid_until: '2020-01-01T00:00:00Z' }
    expect(faultsOf(row)).toEqual([expect.stringContaining('effective_from')])
  })
})

test('a row is read or has errors, whatever its offer', () => {
  const members = ['source_country', 'pay_in', 'amount_min', 'amount_max', 'service', 'fee_percent']
  const more = ['delivery_min', 'delivery_max', 'valid_until', 'channel', 'pay_out']
  const known = fc.constantFrom('GB', 'cash', 'agent', 'PT1H', '2027-01-01T00:00:00Z')
  const values = fc.oneof(fc.jsonValue(), known, fc.array(known), fc.double())
  const rows = fc.dictionary(fc.constantFrom(...members, ...more), values)
  fc.assert(
    fc.property(rows, (row) => {
      const { observation, faults } = readingOf(row)
      expect(observation === null).toBe(faults !== null)
      for (const fault of faults ?? [])
        expect([...members, ...more]).toContain(fault.split(' ')[0]!)
    }),
  )
})
