import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { LEFT_OUT } from '~/sample/build/currencies.ts'
import { observationLines } from '~/sample/build/observations.ts'
import { providerIdOf, providersOf } from '~/sample/build/providers.ts'
import { referenceLines } from '~/sample/build/references.ts'
import { regionOf } from '~/sample/build/regions.ts'
import { type OfficialRow, plainCsvLine, type SurveyRow } from '~/sample/build/rows.ts'
import { builtSample } from '~/sample/build.ts'
import manifest from '~/sample/manifest.json'

const HOME = resolve(import.meta.dir, '../../src/sample')
const INPUT = resolve(import.meta.dir, '../../../shared/data')
const EMPTY = { survey: [], official: [], daily: [], hourly: [] }

const surveyed = (row: Partial<SurveyRow> = {}): SurveyRow => ({
  provider_name: 'Wise',
  provider_type: 'fintech_psp',
  from: 'GBP',
  to: 'GHS',
  rate: '14.10',
  fee: '3.75',
  fee_currency: 'GBP',
  date: '2025-08-20',
  delivery: 'Next day',
  send_amount: '120',
  payment: 'Bank account transfer',
  pickup: 'Bank account',
  rate_derived: 'false',
  ...row,
})

const official = (row: Partial<OfficialRow> = {}): OfficialRow => ({
  provider_name: 'Central Bank of Kenya',
  provider_type: 'central_bank',
  rate_type: 'official',
  from: 'USD',
  to: 'KES',
  rate: '129.2395',
  date: '2025-08-20',
  note: 'mean rate',
  ...row,
})

describe('builtSample', () => {
  test('the files are those of the manifest, and a rebuild gives the same bytes', async () => {
    for (const [name, { bytes, sha256 }] of Object.entries(manifest.artefacts)) {
      const stored = await Bun.file(resolve(HOME, name)).bytes()
      expect(stored.length, name).toBe(bytes)
      expect(createHash('sha256').update(stored).digest('hex'), name).toBe(sha256)
    }
    if (!existsSync(INPUT)) return
    for (const { name, bytes } of builtSample(INPUT)) {
      const stored = await Bun.file(resolve(HOME, name)).bytes()
      expect(Buffer.compare(stored, bytes), `${name} is stale: bun run sample`).toBe(0)
    }
  })

  test('every source row is in the sample or counted as left out', () => {
    const { inputs, left_out, observations, references } = manifest
    const leftOutRows = left_out.reduce((sum, { rows }) => sum + rows, 0)
    expect(left_out.map(({ currency }) => currency)).toEqual(Object.keys(LEFT_OUT))
    expect(observations.rows + leftOutRows).toBe(
      inputs['quotes_rpw.csv'] + inputs['quotes_central_banks.csv'],
    )
    expect(references.rows + manifest.superseded_daily_references).toBe(
      inputs['reference_usd_daily.csv'] + inputs['reference_usd_hourly.csv'],
    )
  })

  test('the whole stays under one megabyte', () => {
    const sizes = Object.values(manifest.artefacts).map(({ bytes }) => bytes)
    expect(sizes.reduce((sum, bytes) => sum + bytes)).toBeLessThan(1_000_000)
  })
})

describe('observationLines', () => {
  test('keeps the digits of the source and says where a rate was derived', () => {
    const lines = observationLines({ ...EMPTY, survey: [surveyed({ rate_derived: 'true' })] })
    expect(lines).toEqual([
      'wise,GBP,GHS,14.10,3.75,GBP,2025-08-20T00:00:00Z,send 120 GBP; ' +
        'pay-in: bank account transfer; pay-out: bank account; delivery: next day; ' +
        'rate derived from mid and margin',
    ])
  })

  test('leaves fee and fee currency empty for an official rate', () => {
    expect(observationLines({ ...EMPTY, official: [official()] })).toEqual([
      'central-bank-of-kenya,USD,KES,129.2395,,,2025-08-20T00:00:00Z,mean rate',
    ])
  })

  test('puts the typical way of a day last: small amount, then bank or mobile pay-in', () => {
    const survey = [
      surveyed({ fee: '1', send_amount: '120' }),
      surveyed({ fee: '2', send_amount: '300' }),
      surveyed({ fee: '3', payment: 'Cash' }),
      surveyed({ fee: '4', pickup: 'Cash' }),
      surveyed({ fee: '5', payment: 'Mobile money' }),
    ]
    const fees = observationLines({ ...EMPTY, survey }).map((line) => line.split(',')[4])
    expect(fees).toEqual(['2', '3', '5', '4', '1'])
  })

  test('keeps the order of the source among equals', () => {
    const survey = ['2', '1', '3'].map((fee) => surveyed({ fee }))
    const fees = observationLines({ ...EMPTY, survey }).map((line) => line.split(',')[4])
    expect(fees).toEqual(['2', '1', '3'])
  })

  test('refuses a way of paying that it cannot rank', () => {
    const survey = [surveyed({ payment: 'Barter' })]
    expect(() => observationLines({ ...EMPTY, survey })).toThrow('Barter')
  })
})

describe('referenceLines', () => {
  const rate = { currency: 'KES', per_usd: '129.10', source: 'x' }
  const hour = { ...rate, fetched_at: '2025-07-14T02:00:00Z' }

  test('lets the hours of a date replace its daily rate, and no other', () => {
    const daily = [
      { ...rate, date: '2025-07-15' },
      { ...rate, date: '2025-07-14' },
      { ...rate, currency: 'UGX', date: '2025-07-14' },
    ]
    expect(referenceLines({ ...EMPTY, daily, hourly: [hour] })).toEqual([
      '2025-07-14T00:00:00Z,x,UGX,129.10',
      '2025-07-14T02:00:00Z,x,KES,129.10',
      '2025-07-15T00:00:00Z,x,KES,129.10',
    ])
  })

  test('refuses two references for one time and currency', () => {
    expect(() => referenceLines({ ...EMPTY, hourly: [hour, hour] })).toThrow('two references')
  })
})

describe('providersOf', () => {
  test('describes a provider by its own rows', () => {
    const survey = [
      surveyed({ payment: 'Bank account transfer,Cash' }),
      surveyed({ from: 'EUR', delivery: 'Same day', payment: 'Debit card' }),
      surveyed({ delivery: '' }),
    ]
    expect(providersOf({ ...EMPTY, survey })[0]).toMatchObject({
      id: 'wise',
      rate_type: 'retail',
      region: 'Europe',
      transfer_time: 'Same day',
      payment_methods: ['bank_transfer', 'cash', 'debit_card'],
    })
  })

  test('gives a central bank its own country', () => {
    const rows = [official(), official({ from: 'KES', to: 'RWF' })]
    expect(providersOf({ ...EMPTY, official: rows })[0]).toMatchObject({
      rate_type: 'official',
      region: 'Kenya',
      payment_methods: null,
    })
  })

  test('stops at one company under two spellings', () => {
    const survey = [surveyed(), surveyed({ provider_name: 'WISE ' })]
    expect(() => providersOf({ ...EMPTY, survey })).toThrow('two spellings')
  })

  test('stops at one provider of two types', () => {
    const survey = [surveyed(), surveyed({ provider_type: 'imto' })]
    expect(() => providersOf({ ...EMPTY, survey })).toThrow('several provider types')
  })
})

describe('providerIdOf', () => {
  test.each([
    ['NMB (National Microfinance Bank)', 'nmb-national-microfinance-bank'],
    ["Caisse D'Epargne", 'caisse-depargne'],
    ['Crédit', 'credit'],
  ])('%s is %s', (name, id) => expect(providerIdOf(name)).toBe(id))
})

describe('regionOf', () => {
  test.each([
    [['KES', 'KES'], 'Kenya'],
    [['KES', 'TZS'], 'East Africa'],
    [['KES', 'GHS'], 'Africa'],
    [['GBP', 'ZAR'], 'Global'],
  ])('%p is %s', (codes, region) => expect(regionOf(codes)).toBe(region))
})

describe('plainCsvLine', () => {
  test.each(['a,b', 'a"b', 'a\nb', 'a\rb'])('refuses %p, which would need quoting', (field) =>
    expect(() => plainCsvLine(['x', field])).toThrow('quoting'),
  )
})
